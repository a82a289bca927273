package dev.safeconduct.policy.expression;

import java.util.Arrays;
import java.util.Optional;

/** An operator with two operands; those of a higher level bind tighter. */
public enum Operator {
  OR("||", 0),
  AND("&&", 1),
  IDENTICAL("===", 2),
  NOT_IDENTICAL("!==", 2),
  EQUAL("==", 2),
  NOT_EQUAL("!=", 2),
  LESS("<", 2),
  AT_MOST("<=", 2),
  GREATER(">", 2),
  AT_LEAST(">=", 2),
  PLUS("+", 3),
  MINUS("-", 3),
  TIMES("*", 4),
  DIVIDED_BY("/", 4);

  static final int COMPARISON = 2;
  static final int HIGHEST = 4;

  public final String symbol;
  final int level;

  Operator(String symbol, int level) {
    this.symbol = symbol;
    this.level = level;
  }

  static Optional<Operator> of(Token token, int level) {
    return Arrays.stream(values())
        .filter(operator -> operator.level == level && token.is(operator.symbol))
        .findFirst();
  }
}

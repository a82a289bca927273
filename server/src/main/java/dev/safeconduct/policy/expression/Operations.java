package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** The operators. */
final class Operations {
  /** A test of two values. */
  private interface Comparison {
    boolean holds(Run run, @Nullable JsonValue a, @Nullable JsonValue b) throws EvaluationFault;
  }

  /** A calculation with two numbers. */
  private interface Arithmetic {
    double of(double a, double b) throws EvaluationFault;
  }

  private Operations() {}

  static Code infix(Operator operator, Code a, Code b, int column) {
    return switch (operator) {
      case OR ->
          run -> {
            run.step(column);
            JsonValue first = a.run(run);
            return Semantics.truthy(first) ? first : b.run(run);
          };
      case AND ->
          run -> {
            run.step(column);
            JsonValue first = a.run(run);
            return Semantics.truthy(first) ? b.run(run) : first;
          };
      case IDENTICAL -> test(a, b, column, (run, x, y) -> Semantics.identical(run, x, y, column));
      case NOT_IDENTICAL ->
          test(a, b, column, (run, x, y) -> !Semantics.identical(run, x, y, column));
      case EQUAL -> test(a, b, column, (run, x, y) -> Semantics.equal(run, x, y, column));
      case NOT_EQUAL -> test(a, b, column, (run, x, y) -> !Semantics.equal(run, x, y, column));
      case LESS ->
          test(
              a,
              b,
              column,
              (_, x, y) ->
                  x instanceof JsonNumber n && y instanceof JsonNumber m && n.value() < m.value());
      case AT_MOST ->
          test(
              a,
              b,
              column,
              (_, x, y) ->
                  x instanceof JsonNumber n && y instanceof JsonNumber m && n.value() <= m.value());
      case GREATER -> infix(Operator.LESS, b, a, column);
      case AT_LEAST -> infix(Operator.AT_MOST, b, a, column);
      case PLUS -> plus(a, b, column);
      case MINUS -> calculation("-", a, b, column, (x, y) -> x - y);
      case TIMES -> calculation("*", a, b, column, (x, y) -> x * y);
      case DIVIDED_BY ->
          calculation(
              "/",
              a,
              b,
              column,
              (x, y) -> {
                if (y == 0) {
                  throw new EvaluationFault("division by zero", column);
                }
                return x / y;
              });
    };
  }

  static Code not(Code operand, int column) {
    return run -> {
      run.step(column);
      return JsonBoolean.of(!Semantics.truthy(operand.run(run)));
    };
  }

  static Code negation(Code operand, int column) {
    return run -> {
      run.step(column);
      return new JsonNumber(-Semantics.number(operand.run(run), "the operand of -", column));
    };
  }

  private static Code test(Code a, Code b, int column, Comparison comparison) {
    return run -> {
      run.step(column);
      return JsonBoolean.of(comparison.holds(run, a.run(run), b.run(run)));
    };
  }

  private static Code calculation(
      String symbol, Code a, Code b, int column, Arithmetic arithmetic) {
    String left = "the left side of " + symbol;
    String right = "the right side of " + symbol;
    return run -> {
      run.step(column);
      double x = Semantics.number(a.run(run), left, column);
      double y = Semantics.number(b.run(run), right, column);
      return Semantics.finite(arithmetic.of(x, y), column);
    };
  }

  private static Code plus(Code a, Code b, int column) {
    return run -> {
      run.step(column);
      JsonValue x = a.run(run);
      JsonValue y = b.run(run);
      if (x instanceof JsonNumber n && y instanceof JsonNumber m) {
        return Semantics.finite(n.value() + m.value(), column);
      }
      if (x instanceof JsonString s && y instanceof JsonString t) {
        run.makes((long) s.value().length() + t.value().length(), column);
        return new JsonString(s.value().concat(t.value()));
      }
      throw new EvaluationFault(
          "+ takes two numbers or two strings, not "
              + Semantics.describe(x)
              + " and "
              + Semantics.describe(y),
          column);
    };
  }
}

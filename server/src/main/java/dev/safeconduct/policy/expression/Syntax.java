package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One node of a parsed expression, before names are looked up. */
public sealed interface Syntax {
  /** Returns the place for messages: the operator, the name after a dot, or the first character. */
  int column();

  /** A literal; the value is Java {@code null} for {@code undefined}. */
  record Literal(int column, @Nullable JsonValue value) implements Syntax {}

  record Name(int column, String name) implements Syntax {}

  record Member(int column, Syntax target, String name) implements Syntax {}

  record Index(int column, Syntax target, Syntax key) implements Syntax {}

  record MethodCall(int column, Syntax target, String name, List<Syntax> arguments)
      implements Syntax {}

  record FunctionCall(int column, String name, List<Syntax> arguments) implements Syntax {}

  record Lambda(int column, String parameter, Syntax body) implements Syntax {}

  record Not(int column, Syntax operand) implements Syntax {}

  record Negation(int column, Syntax operand) implements Syntax {}

  record Infix(int column, Operator operator, Syntax left, Syntax right) implements Syntax {}

  record Listing(int column, List<Syntax> elements) implements Syntax {}
}

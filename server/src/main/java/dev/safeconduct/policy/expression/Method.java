package dev.safeconduct.policy.expression;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The methods of strings and arrays; nothing else can be called on a value. */
public enum Method {
  INCLUDES("includes", 1),
  STARTS_WITH("startsWith", 1),
  ENDS_WITH("endsWith", 1),
  SPLIT("split", 1),
  REPLACE("replace", 2),
  TO_LOWER_CASE("toLowerCase", 0),
  TO_UPPER_CASE("toUpperCase", 0),
  TRIM("trim", 0),
  SOME("some", 1),
  EVERY("every", 1),
  FILTER("filter", 1),
  MAP("map", 1);

  public final String spelling;
  final int arity;

  Method(String spelling, int arity) {
    this.spelling = spelling;
    this.arity = arity;
  }

  public boolean takesLambda() {
    return switch (this) {
      case SOME, EVERY, FILTER, MAP -> true;
      case INCLUDES, STARTS_WITH, ENDS_WITH, SPLIT -> false;
      case REPLACE, TO_LOWER_CASE, TO_UPPER_CASE, TRIM -> false;
    };
  }

  public static Optional<Method> of(String name) {
    return Stream.of(values()).filter(method -> method.spelling.equals(name)).findFirst();
  }

  static List<String> names() {
    return Stream.of(values()).map(method -> method.spelling).toList();
  }
}

package dev.safeconduct.policy.expression;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** The semantics of values: truthiness, equality, members, and type requirements. */
final class Semantics {
  private Semantics() {}

  static boolean truthy(@Nullable JsonValue value) {
    return switch (value) {
      case null -> false;
      case JsonBoolean truth -> truth == JsonBoolean.TRUE;
      case JsonNull _ -> false;
      case JsonNumber number -> number.value() != 0;
      case JsonOverflow _ -> true;
      case JsonString text -> !text.value().isEmpty();
      case JsonArray _ -> true;
      case JsonObject _ -> true;
    };
  }

  static boolean absent(@Nullable JsonValue value) {
    return value == null || value == JsonNull.NULL;
  }

  /** {@code ===}: no coercion; arrays and objects are never equal, not even to themselves. */
  static boolean identical(Run run, @Nullable JsonValue a, @Nullable JsonValue b, int column)
      throws EvaluationFault {
    return switch (a) {
      case JsonString x -> {
        if (!(b instanceof JsonString y) || x.value().length() != y.value().length()) {
          yield false;
        }
        run.reads(x.value().length(), column);
        yield x.value().equals(y.value());
      }
      case JsonNumber x -> b instanceof JsonNumber y && x.value() == y.value();
      case JsonOverflow _ -> false;
      case JsonArray _ -> false;
      case JsonObject _ -> false;
      case JsonBoolean x -> b instanceof JsonBoolean y && x == y;
      case JsonNull _ -> b instanceof JsonNull;
      case null -> b == null;
    };
  }

  /** {@code ==}: as {@code ===}, and null equals undefined. */
  static boolean equal(Run run, @Nullable JsonValue a, @Nullable JsonValue b, int column)
      throws EvaluationFault {
    return (absent(a) && absent(b)) || identical(run, a, b, column);
  }

  /** Returns an own member, or the length of a text or an array; otherwise undefined. */
  static @Nullable JsonValue member(@Nullable JsonValue target, String name, int column)
      throws EvaluationFault {
    return switch (target) {
      case JsonObject object -> object.get(name);
      case JsonString text when name.equals("length") -> new JsonNumber(text.value().length());
      case JsonArray array when name.equals("length") -> new JsonNumber(array.size());
      case null -> throw unreadable(target, name, column);
      case JsonNull _ -> throw unreadable(target, name, column);
      case JsonString _ -> null;
      case JsonArray _ -> null;
      case JsonNumber _, JsonOverflow _ -> null;
      case JsonBoolean _ -> null;
    };
  }

  /** As {@link #own}, but a forbidden name yields undefined. */
  static @Nullable JsonValue member(@Nullable JsonValue target, @Nullable JsonValue key, int column)
      throws EvaluationFault {
    return key instanceof JsonString name && Parser.isForbidden(name.value())
        ? own(target, null, column)
        : own(target, key, column);
  }

  /** Returns the member that a value names; only a string can name one. */
  static @Nullable JsonValue own(@Nullable JsonValue target, @Nullable JsonValue key, int column)
      throws EvaluationFault {
    if (key instanceof JsonString name) {
      return member(target, name.value(), column);
    }
    if (absent(target)) {
      throw unreadable(target, "a member", column);
    }
    return null;
  }

  private static EvaluationFault unreadable(@Nullable JsonValue target, String name, int column) {
    return new EvaluationFault("cannot read " + name + " of " + describe(target), column);
  }

  /** Returns the text, or fails with a fault that names the role. */
  static String text(@Nullable JsonValue value, String role, int column) throws EvaluationFault {
    if (value instanceof JsonString text) {
      return text.value();
    }
    throw mismatch(value, role, "a string", column);
  }

  /**
   * Returns a counter's key: a text, or several, encoded so that different lists have different
   * keys.
   */
  static String key(@Nullable JsonValue value, String role, int column) throws EvaluationFault {
    if (value instanceof JsonArray array) {
      for (int i = 0; i < array.size(); i++) {
        text(Elements.at(array, i), "each element of " + role, column);
      }
      return Json.text(array);
    }
    return text(value, role, column);
  }

  static double number(@Nullable JsonValue value, String role, int column) throws EvaluationFault {
    if (value instanceof JsonNumber number) {
      return number.value();
    }
    throw mismatch(value, role, "a number", column);
  }

  static JsonArray array(@Nullable JsonValue value, String role, int column)
      throws EvaluationFault {
    if (value instanceof JsonArray array) {
      return array;
    }
    throw mismatch(value, role, "an array", column);
  }

  /**
   * Returns a number that arithmetic or the facts produced. A number outside the range of a double
   * is a fault: an infinite sum would make every comparison false, and its negation true.
   */
  static JsonNumber finite(double value, int column) throws EvaluationFault {
    if (!Double.isFinite(value)) {
      throw new EvaluationFault("the number is not finite", column);
    }
    return new JsonNumber(value);
  }

  static EvaluationFault mismatch(
      @Nullable JsonValue value, String role, String wanted, int column) {
    return new EvaluationFault(role + " must be " + wanted + ", not " + describe(value), column);
  }

  static String describe(@Nullable JsonValue value) {
    return switch (value) {
      case null -> "undefined";
      case JsonNull _ -> "null";
      case JsonArray _ -> "an array";
      case JsonObject _ -> "an object";
      case JsonBoolean _ -> "a boolean";
      case JsonNumber _ -> "a number";
      case JsonOverflow _ -> "a number no double holds";
      case JsonString _ -> "a string";
    };
  }
}

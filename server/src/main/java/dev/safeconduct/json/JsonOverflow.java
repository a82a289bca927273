package dev.safeconduct.json;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A JSON number whose magnitude exceeds a double, such as {@code 1e400}. It is valid JSON (RFC 8259
 * section 6), but it cannot be used in computations. It is not a {@link JsonNumber}, so code that
 * needs a number refuses it, and it is written unchanged, but as a string in canonical JSON.
 *
 * @param text the original text
 */
public record JsonOverflow(String text) implements JsonValue {
  @Override
  public String typeName() {
    return "number";
  }

  /**
   * Returns the path of the first one in the value, in the format of error messages; empty when
   * there is none.
   */
  public static Optional<String> place(JsonValue value) {
    return place(value, "", JsonOverflow.class::isInstance);
  }

  /**
   * Returns the path as above of the first number whose canonical form may be another value's too:
   * one beyond a double, one that a double rounds, or one beyond 2^53 - 1, which other programs may
   * have rounded.
   */
  public static Optional<String> placeOfRounded(JsonValue value) {
    return place(
        value,
        "",
        each ->
            each instanceof JsonOverflow
                || (each instanceof JsonNumber(double number, boolean rounded)
                    && (rounded || Math.abs(number) > JsonNumber.MAX_SAFE_INTEGER)));
  }

  private static Optional<String> place(JsonValue value, String path, Predicate<JsonValue> wanted) {
    Optional<String> found = Optional.empty();
    if (wanted.test(value)) {
      return Optional.of(path);
    } else if (value instanceof JsonObject object) {
      for (String name : object.names()) {
        JsonValue member = Objects.requireNonNull(object.get(name));
        if (found.isEmpty() && isOpen(member, wanted)) {
          found = place(member, path.isEmpty() ? name : path + "." + name, wanted);
        }
      }
    } else if (value instanceof JsonArray array) {
      for (int i = 0; i < array.size() && found.isEmpty(); i++) {
        if (isOpen(array.get(i), wanted)) {
          found = place(array.get(i), path + "[" + i + "]", wanted);
        }
      }
    }
    return found;
  }

  /** Spares most values the text of their path. */
  private static boolean isOpen(JsonValue value, Predicate<JsonValue> wanted) {
    return wanted.test(value) || value instanceof JsonObject || value instanceof JsonArray;
  }
}

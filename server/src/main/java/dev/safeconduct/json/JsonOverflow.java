package dev.safeconduct.json;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A JSON number whose magnitude exceeds a double, such as {@code 1e400}. It is valid JSON (RFC 8259
 * section 6), but it cannot be used in computations. It is not a {@link JsonNumber}, so code that
 * needs a number refuses it, and it is written unchanged.
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
    return place(value, "");
  }

  private static Optional<String> place(JsonValue value, String path) {
    return switch (value) {
      case JsonOverflow _ -> Optional.of(path);
      case JsonObject object ->
          object.names().stream()
              .map(name ->
                  place(
                      Objects.requireNonNull(object.get(name)),
                      path.isEmpty() ? name : path + "." + name))
              .flatMap(Optional::stream)
              .findFirst();
      case JsonArray array ->
          IntStream.range(0, array.size())
              .mapToObj(i -> place(array.get(i), path + "[" + i + "]"))
              .flatMap(Optional::stream)
              .findFirst();
      default -> Optional.empty();
    };
  }
}

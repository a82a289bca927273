package dev.safeconduct.json;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A JSON number of a magnitude no double holds, such as {@code 1e400}. It is sound JSON (RFC 8259
 * section 6), but nothing computes with it: it is no {@link JsonNumber}, so whatever wants a number
 * refuses it, and it is written as it came.
 *
 * @param text as it was written
 */
public record JsonOverflow(String text) implements JsonValue {
  @Override
  public String typeName() {
    return "number";
  }

  /** Where the value holds one, as error messages name members; empty when nowhere. */
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

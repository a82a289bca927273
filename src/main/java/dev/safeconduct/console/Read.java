package dev.safeconduct.console;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads answers of the contract. */
final class Read {
  private Read() {}

  static List<JsonObject> objects(JsonObject from, String name) {
    return from.array(name).map(Read::objects).orElse(List.of());
  }

  static List<JsonObject> objects(JsonArray array) {
    var found = new ArrayList<JsonObject>();
    for (JsonValue value : array) {
      if (value instanceof JsonObject object) {
        found.add(object);
      }
    }
    return found;
  }

  static String text(JsonObject from, String name) {
    return from.string(name).orElse("");
  }

  static JsonObject object(JsonObject from, String name) {
    return from.object(name).orElse(JsonObject.EMPTY);
  }

  static List<String> texts(JsonObject from, String name) {
    return from.array(name).map(JsonArray::texts).orElse(List.of());
  }

  static Optional<Long> whole(JsonObject from, String name) {
    return from.get(name) instanceof JsonNumber(double number)
        ? Optional.of((long) number)
        : Optional.empty();
  }

  /** A value for people: text without its quotes, texts in a row, anything else as JSON. */
  static String plain(JsonValue value) {
    return switch (value) {
      case JsonString(String text) -> text;
      case JsonArray list when !list.isEmpty() && list.texts().size() == list.size() ->
          String.join(", ", list.texts());
      default -> Json.text(value);
    };
  }
}

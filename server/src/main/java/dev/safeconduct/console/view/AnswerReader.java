package dev.safeconduct.console.view;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads responses of the API. */
public final class AnswerReader {
  private AnswerReader() {}

  public static List<JsonObject> objects(JsonObject from, String name) {
    return from.array(name).map(AnswerReader::objects).orElse(List.of());
  }

  public static List<JsonObject> objects(JsonArray array) {
    var found = new ArrayList<JsonObject>();
    for (JsonValue value : array) {
      if (value instanceof JsonObject object) {
        found.add(object);
      }
    }
    return found;
  }

  public static String text(JsonObject from, String name) {
    return from.string(name).orElse("");
  }

  public static JsonObject object(JsonObject from, String name) {
    return from.object(name).orElse(JsonObject.EMPTY);
  }

  public static List<String> texts(JsonObject from, String name) {
    return from.array(name).map(JsonArray::texts).orElse(List.of());
  }

  public static Optional<Long> whole(JsonObject from, String name) {
    return from.get(name) instanceof JsonNumber(double number, _)
        ? Optional.of((long) number)
        : Optional.empty();
  }

  /**
   * Returns a value for people: text without quotes, a list of texts joined, other values as JSON.
   */
  public static String plain(JsonValue value) {
    return switch (value) {
      case JsonString(String text) -> text;
      case JsonArray list when !list.isEmpty() && list.texts().size() == list.size() ->
          String.join(", ", list.texts());
      default -> Json.text(value);
    };
  }
}

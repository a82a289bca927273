package dev.safeconduct.documentation;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;

/** JSON for people to read: two spaces a level, one member a line. */
final class Indented {
  private Indented() {}

  static String of(JsonValue value) {
    var text = new StringBuilder();
    write(text, value, "\n");
    return text.toString();
  }

  private static void write(StringBuilder text, JsonValue value, String line) {
    String inner = line + "  ";
    switch (value) {
      case JsonObject object when !object.isEmpty() -> {
        int start = text.append('{').length();
        object.forEach((name, member) -> {
          text.append(text.length() == start ? "" : ",").append(inner);
          text.append(Json.text(new JsonString(name))).append(": ");
          write(text, member, inner);
        });
        text.append(line).append('}');
      }
      case JsonArray array when !array.elements().isEmpty() -> {
        int start = text.append('[').length();
        array.forEach(element -> {
          text.append(text.length() == start ? "" : ",").append(inner);
          write(text, element, inner);
        });
        text.append(line).append(']');
      }
      default -> text.append(Json.text(value));
    }
  }
}

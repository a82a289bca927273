package dev.safeconduct.console.view;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Iterator;

/** Writes JSON for people to read and edit: indented by two spaces, short lists on one line. */
public final class IndentedJson {
  private static final int SHORT = 80;

  private final StringBuilder text = new StringBuilder();

  private IndentedJson() {}

  public static String text(JsonValue value) {
    var indented = new IndentedJson();
    indented.write(value, "");
    return indented.text.append('\n').toString();
  }

  private void write(JsonValue value, String indent) {
    String compact = Json.text(value);
    String deeper = indent + "  ";
    if (value instanceof JsonObject object && compact.length() > SHORT) {
      text.append("{\n");
      for (Iterator<String> names = object.names().iterator(); names.hasNext(); ) {
        String name = names.next();
        text.append(deeper).append(Json.text(new JsonString(name))).append(": ");
        write(java.util.Objects.requireNonNull(object.get(name)), deeper);
        text.append(names.hasNext() ? ",\n" : "\n");
      }
      text.append(indent).append('}');
    } else if (value instanceof JsonArray array && compact.length() > SHORT) {
      text.append("[\n");
      for (int i = 0; i < array.size(); i++) {
        text.append(deeper);
        write(array.get(i), deeper);
        text.append(i + 1 < array.size() ? ",\n" : "\n");
      }
      text.append(indent).append(']');
    } else {
      text.append(compact);
    }
  }
}

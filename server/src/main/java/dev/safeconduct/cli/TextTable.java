package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints lists on a terminal: one line for each row, columns as wide as their content. */
public final class TextTable {
  private TextTable() {}

  /** Prints the named members of every row under their names. */
  public static void print(PrintWriter out, List<JsonObject> rows, String... names) {
    var lines = new ArrayList<List<String>>();
    lines.add(List.of(names).stream().map(name -> name.toUpperCase(Locale.ROOT)).toList());
    for (JsonObject row : rows) {
      lines.add(List.of(names).stream().map(name -> cell(row.get(name))).toList());
    }
    int[] widths = new int[names.length];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : lines) {
      var text = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        text.append(line.get(i)).repeat(" ", widths[i] - line.get(i).length() + 2);
      }
      out.println(text.toString().stripTrailing());
    }
  }

  /** Returns a value as text, as in a column. */
  static String cell(@Nullable JsonValue value) {
    return switch (value) {
      case null -> "-";
      case JsonNull _ -> "-";
      case JsonString text -> plain(text.value());
      case JsonArray list ->
          list.elements().stream().map(TextTable::cell).reduce((a, b) -> a + "," + b).orElse("-");
      default -> plain(Json.text(value));
    };
  }

  /**
   * Returns the text without control characters and without bidirectional formatting characters.
   */
  public static String plain(String text) {
    var shown = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          int kind = Character.getType(c);
          boolean hidden =
              kind == Character.CONTROL
                  || kind == Character.FORMAT
                  || kind == Character.LINE_SEPARATOR
                  || kind == Character.PARAGRAPH_SEPARATOR
                  || kind == Character.SURROGATE;
          shown.appendCodePoint(hidden ? 0xFFFD : c);
        });
    return shown.toString();
  }
}

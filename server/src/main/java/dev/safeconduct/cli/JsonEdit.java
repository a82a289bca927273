package dev.safeconduct.cli;

import dev.safeconduct.cli.JsonSource.Container;
import dev.safeconduct.cli.JsonSource.Item;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Adds and removes single items of JSON text in the text's own layout. */
final class JsonEdit {
  private static final Pattern FIRST_INDENT = Pattern.compile("\n([ \t]+)\\S");

  private final String text;
  private final String newline;
  private final String unit;

  JsonEdit(String text) {
    this.text = text;
    newline = text.contains("\r\n") ? "\r\n" : "\n";
    Matcher indent = FIRST_INDENT.matcher(text);
    unit = indent.find() ? indent.group(1) : "  ";
  }

  /** Returns the text with a member behind the last one of the object. */
  String append(Container to, String name, JsonValue value) {
    return appended(to, Json.text(new JsonString(name)) + ": ", value);
  }

  /** Returns the text with an element behind the last one of the array. */
  String append(Container to, JsonValue value) {
    return appended(to, "", value);
  }

  private String appended(Container to, String label, JsonValue value) {
    int close = to.end() - 1;
    int inner = to.items().isEmpty() ? to.start() + 1 : to.items().getLast().end();
    int comma = to.items().isEmpty() ? -1 : comma(inner, close);
    int after = close;
    while (after > inner && JsonSource.isSpace(text.charAt(after - 1))) {
      after--;
    }
    boolean lines = text.indexOf('\n') >= 0 || text.length() <= 2;
    if (!to.items().isEmpty()) {
      lines = text.substring(to.start(), to.end()).indexOf('\n') >= 0;
    }
    String outer = indent(to.start());
    String own = to.items().isEmpty() ? outer + unit : itemIndent(to, outer);
    var edited = new StringBuilder(text.substring(0, inner));
    if (!to.items().isEmpty() && comma < 0) {
      edited.append(',');
    }
    edited.append(text, inner, after);
    if (lines) {
      edited.append(newline).append(own);
    } else if (!to.items().isEmpty()) {
      edited.append(' ');
    }
    edited.append(label);
    print(edited, value, own, lines);
    if (comma >= 0) {
      edited.append(',');
    }
    if (to.items().isEmpty()) {
      return edited
          .append(lines ? newline + outer : "")
          .append(text, close, text.length())
          .toString();
    }
    return edited.append(text, after, text.length()).toString();
  }

  /** Returns the text without the item at the index; what stands around it stays. */
  String remove(Container from, int index) {
    Item item = from.items().get(index);
    boolean last = index == from.items().size() - 1;
    int next = last ? from.end() - 1 : from.items().get(index + 1).start();
    int comma = comma(item.end(), next);
    int end = comma >= 0 ? comma + 1 : item.end();
    int start = item.start();
    while (JsonSource.isSpace(text.charAt(start - 1))) {
      start--;
    }
    if (from.items().size() == 1
        && start == from.start() + 1
        && text.substring(end, next).isBlank()) {
      return text.substring(0, start) + text.substring(next);
    }
    // A line's end may close a comment; it goes only where another one follows.
    String line = text.substring(end, next).split("\n", 2)[0];
    boolean closes = line.length() < next - end && line.isBlank();
    if (text.substring(start, item.start()).indexOf('\n') >= 0 && !closes) {
      start = item.start();
    }
    String before = text.substring(0, start);
    if (comma < 0 && index > 0) {
      int separator = comma(from.items().get(index - 1).end(), start);
      before = text.substring(0, separator) + text.substring(separator + 1, start);
    }
    return before + text.substring(end);
  }

  /** Returns the place of the comma between two places that hold white space and comments. */
  private int comma(int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) == ',') {
        return i;
      }
      if (text.startsWith("//", i)) {
        i = text.indexOf('\n', i);
      } else if (text.startsWith("/*", i)) {
        i = text.indexOf("*/", i + 2) + 1;
      }
    }
    return -1;
  }

  private String itemIndent(Container of, String outer) {
    int start = of.items().getLast().start();
    String indent = indent(start);
    int line = text.lastIndexOf('\n', start - 1) + 1;
    return line + indent.length() == start ? indent : outer + unit;
  }

  /** Returns the white space at the beginning of the line that holds the place. */
  private String indent(int place) {
    int line = text.lastIndexOf('\n', place - 1) + 1;
    int end = line;
    while (end < place && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) {
      end++;
    }
    return text.substring(line, end);
  }

  private void print(StringBuilder to, JsonValue value, String indent, boolean lines) {
    if (value instanceof JsonObject object && !object.isEmpty()) {
      to.append('{');
      object.forEach((name, member) -> {
        item(to, '{', indent, lines);
        to.append(Json.text(new JsonString(name))).append(": ");
        print(to, member, indent + unit, lines);
      });
      to.append(lines ? newline + indent : "").append('}');
    } else if (value instanceof JsonArray array && !array.isEmpty()) {
      to.append('[');
      array.forEach(element -> {
        item(to, '[', indent, lines);
        print(to, element, indent + unit, lines);
      });
      to.append(lines ? newline + indent : "").append(']');
    } else {
      to.append(Json.text(value));
    }
  }

  private void item(StringBuilder to, char open, String indent, boolean lines) {
    boolean first = to.charAt(to.length() - 1) == open;
    to.append(first ? "" : ",").append(lines ? newline + indent + unit : first ? "" : " ");
  }
}

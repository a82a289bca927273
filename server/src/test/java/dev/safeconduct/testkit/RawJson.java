package dev.safeconduct.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Cuts pieces out of JSON text exactly as they are written, for tests where the spelling of numbers
 * and characters matters. Takes well-formed text only.
 */
public final class RawJson {
  private final String text;
  private int at;

  private RawJson(String text) {
    this.text = text;
  }

  /** The members of an object, each value as written. */
  public static Map<String, String> members(String object) {
    var cutter = new RawJson(object);
    var members = new LinkedHashMap<String, String>();
    cutter.expect('{');
    while (cutter.next() != '}') {
      if (cutter.next() == ',') {
        cutter.at++;
      }
      String name = cutter.value();
      cutter.expect(':');
      members.put(name.substring(1, name.length() - 1), cutter.value());
    }
    return members;
  }

  /** A member that must be there. */
  public static String member(Map<String, String> members, String name) {
    return Objects.requireNonNull(members.get(name), name);
  }

  /** Takes out a member that must be there. */
  public static String taken(Map<String, String> members, String name) {
    return Objects.requireNonNull(members.remove(name), name);
  }

  /** The elements of an array, each as written. */
  public static List<String> elements(String array) {
    var cutter = new RawJson(array);
    var elements = new ArrayList<String>();
    cutter.expect('[');
    while (cutter.next() != ']') {
      if (cutter.next() == ',') {
        cutter.at++;
      }
      elements.add(cutter.value());
    }
    return elements;
  }

  /** An object of these members, each value as given. */
  public static String object(Map<String, String> members) {
    var written = new StringBuilder("{");
    members.forEach((name, value) ->
        written
            .append(written.length() == 1 ? "\"" : ",\"")
            .append(name)
            .append("\":")
            .append(value));
    return written.append('}').toString();
  }

  private char next() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at);
  }

  private void expect(char c) {
    if (next() != c) {
      throw new AssertionError("no " + c + " at " + at + " of " + text);
    }
    at++;
  }

  private String value() {
    next();
    int start = at;
    int depth = 0;
    boolean quoted = false;
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (quoted) {
        if (c == '\\') {
          at++;
        } else if (c == '"') {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (c == '}' || c == ']') {
        if (depth == 0) {
          break;
        }
        depth--;
      } else if (depth == 0 && (c == ',' || c == ':')) {
        break;
      }
    }
    return text.substring(start, at).strip();
  }
}

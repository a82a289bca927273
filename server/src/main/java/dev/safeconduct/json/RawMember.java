package dev.safeconduct.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Cuts values out of the bytes of a JSON object, exactly as they were sent. */
public final class RawMember {
  private final byte[] text;
  private int at;

  private RawMember(byte[] text) {
    this.text = text;
  }

  /**
   * Returns the bytes of the member's value.
   *
   * @param object the text of an object that {@link Json#parseObject} has accepted
   */
  public static Optional<byte[]> of(byte[] object, String name) {
    return new RawMember(object).find(name);
  }

  /**
   * Returns the bytes of each element.
   *
   * @param array the text of an array, cut out of an object that {@link Json#parseObject} has
   *     accepted
   */
  public static List<byte[]> elements(byte[] array) {
    return new RawMember(array).split();
  }

  private List<byte[]> split() {
    var elements = new ArrayList<byte[]>();
    skipTo('[');
    while (text[skipSpace()] != ']') {
      int start = at;
      skipValue();
      elements.add(Arrays.copyOfRange(text, start, at));
      if (text[skipSpace()] == ',') {
        at++;
      }
    }
    return elements;
  }

  private Optional<byte[]> find(String name) {
    skipTo('{');
    while (true) {
      int from = skipTo('"');
      if (from < 0) {
        return Optional.empty();
      }
      skipText();
      String found = decoded(from, at);
      skipTo(':');
      int start = skipSpace();
      skipValue();
      if (found.equals(name)) {
        return Optional.of(Arrays.copyOfRange(text, start, at));
      }
    }
  }

  /** Moves behind the next such byte; returns its position, or -1 at the end. */
  private int skipTo(char wanted) {
    while (at < text.length) {
      if (text[at++] == wanted) {
        return at - 1;
      }
    }
    return -1;
  }

  private int skipSpace() {
    while (at < text.length && text[at] <= ' ') {
      at++;
    }
    return at;
  }

  /** Moves from a text's first quote to behind its last. */
  private void skipText() {
    while (at < text.length && text[at] != '"') {
      at += text[at] == '\\' ? 2 : 1;
    }
    at++;
  }

  private void skipValue() {
    int depth = 0;
    while (at < text.length) {
      byte b = text[at];
      if (b == '"') {
        at++;
        skipText();
      } else if (b == '{' || b == '[') {
        depth++;
        at++;
      } else if (b == '}' || b == ']') {
        if (depth == 0) {
          return;
        }
        depth--;
        at++;
      } else if (depth == 0 && (b == ',' || b <= ' ')) {
        return;
      } else {
        at++;
      }
      if (depth == 0 && (b == '"' || b == '}' || b == ']')) {
        return;
      }
    }
  }

  private String decoded(int from, int to) {
    try {
      byte[] quoted = Arrays.copyOfRange(text, from, to);
      return Json.parse(quoted) instanceof JsonString(String value)
          ? value
          : new String(quoted, StandardCharsets.UTF_8);
    } catch (JsonFault e) {
      throw new IllegalArgumentException("the text is no JSON object", e);
    }
  }
}

package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * JSON text and the place of every value in it, so that an edit leaves all other characters alone.
 * Comments and trailing commas are read where the owner of the file reads them.
 */
final class JsonSource {
  private static final int MAX_DEPTH = 30;

  /** A value from {@code start} to before {@code end}. */
  sealed interface Node {
    int start();

    int end();
  }

  /** Text, number, true, false or null. */
  record Leaf(int start, int end, JsonValue value) implements Node {}

  /** An object or an array. */
  record Container(int start, int end, boolean object, List<Item> items) implements Node {
    /** Returns the member of this object. */
    Optional<Node> member(String name) {
      return items.stream()
          .filter(item -> object && item.name().equals(name))
          .map(Item::value)
          .findFirst();
    }
  }

  /** A member, which starts at its name, or an element, whose name is empty. */
  record Item(String name, int start, Node value) {
    int end() {
      return value.end();
    }
  }

  private final String text;
  private final boolean comments;
  private int at;

  private JsonSource(String text, boolean comments) {
    this.text = text;
    this.comments = comments;
  }

  /**
   * Reads a document that is an object.
   *
   * @throws HookFault when it is not one, saying at which line
   */
  static Container read(String text, boolean comments) throws HookFault {
    var source = new JsonSource(text, comments);
    source.skip();
    if (source.peek() != '{') {
      throw source.fault("an object is expected");
    }
    Container root = source.container(0);
    source.skip();
    if (source.at < text.length()) {
      throw source.fault("there is text after the object");
    }
    return root;
  }

  /** Returns the value without comments. */
  static JsonValue value(Node node) {
    return switch (node) {
      case Leaf leaf -> leaf.value();
      case Container each when each.object() -> {
        var members = JsonObject.builder();
        each.items().forEach(item -> members.put(item.name(), value(item.value())));
        yield members.build();
      }
      case Container each ->
          new JsonArray(each.items().stream().map(item -> value(item.value())).toList());
    };
  }

  private Node node(int depth) throws HookFault {
    return switch (peek()) {
      case '{', '[' -> container(depth);
      case '"' -> {
        int start = at;
        yield new Leaf(start, string(), parsed(start));
      }
      default -> {
        int start = at;
        while (at < text.length() && isWord(text.charAt(at))) {
          at++;
        }
        yield new Leaf(start, at, parsed(start));
      }
    };
  }

  private Container container(int depth) throws HookFault {
    if (depth == MAX_DEPTH) {
      throw fault("the values are nested too deeply");
    }
    int start = at;
    boolean object = text.charAt(at++) == '{';
    char close = object ? '}' : ']';
    var items = new ArrayList<Item>();
    skip();
    while (peek() != close) {
      Item item = object ? member(depth) : new Item("", at, node(depth + 1));
      if (object && items.stream().anyMatch(other -> other.name().equals(item.name()))) {
        throw fault("\"" + item.name() + "\" is a duplicate member");
      }
      items.add(item);
      skip();
      if (peek() == ',') {
        at++;
        skip();
        if (peek() == close && !comments) {
          throw fault("there is a comma before the closing bracket");
        }
      } else if (peek() != close) {
        throw fault("a comma or a closing bracket is expected");
      }
    }
    at++;
    return new Container(start, at, object, List.copyOf(items));
  }

  private Item member(int depth) throws HookFault {
    int start = at;
    if (peek() != '"') {
      throw fault("a member's name in quotation marks is expected");
    }
    string();
    String name = parsed(start) instanceof JsonString(String value) ? value : "";
    skip();
    if (peek() != ':') {
      throw fault("a colon is expected");
    }
    at++;
    skip();
    return new Item(name, start, node(depth + 1));
  }

  private int string() throws HookFault {
    for (at++; peek() != '"'; at++) {
      if (peek() == '\\') {
        at++;
      }
    }
    return ++at;
  }

  private JsonValue parsed(int start) throws HookFault {
    try {
      return Json.parse(text.substring(start, at));
    } catch (JsonFault _) {
      throw fault("there is text that is not JSON");
    }
  }

  /** Skips white space and comments. */
  private void skip() throws HookFault {
    while (at < text.length()) {
      if (isSpace(text.charAt(at))) {
        at++;
      } else if (comments && text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (comments && text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw fault("a comment is not closed");
        }
        at = end + 2;
      } else {
        return;
      }
    }
  }

  private char peek() throws HookFault {
    if (at >= text.length()) {
      throw fault("the text ends too early");
    }
    return text.charAt(at);
  }

  static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  private static boolean isWord(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "+-.".indexOf(c) >= 0;
  }

  private HookFault fault(String what) {
    long line =
        text.substring(0, Math.min(at, text.length())).chars().filter(c -> c == '\n').count();
    return new HookFault("line " + (line + 1) + ": " + what);
  }
}

package dev.safeconduct.hook;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Members of a hook event. Agents spell a member differently, so each is looked up under several
 * names: {@code a|b.c} is the member {@code a}, or {@code c} in {@code b}. A JSON null and an empty
 * text are absent.
 */
record Shape(JsonObject object) {
  private static final Pattern BAR = Pattern.compile("\\|");

  /** More than every policy takes, except for a file's content and a patch. */
  private static final int MOST_TEXT = 20_000;

  private static final JsonString EMPTY = new JsonString("");
  private static final Pattern DOT = Pattern.compile("\\.");

  /** Returns the values of those of the names that the object has. */
  List<JsonValue> values(String names) {
    var found = new ArrayList<JsonValue>();
    if (!names.isEmpty()) {
      for (String name : BAR.split(names, -1)) {
        JsonValue value = at(name);
        if (value != null && !value.equals(EMPTY)) {
          found.add(value);
        }
      }
    }
    return found;
  }

  private @Nullable JsonValue at(String name) {
    JsonValue value = object;
    for (String part : DOT.split(name, -1)) {
      value = value instanceof JsonObject parent ? parent.present(part) : null;
    }
    return value;
  }

  /** Returns the text under these names; they must not contradict each other. */
  Optional<String> text(String names) {
    SequencedSet<String> found = new LinkedHashSet<>();
    for (JsonValue value : values(names)) {
      found.add(text(names, value));
    }
    return only(names, found);
  }

  private static Optional<String> only(String names, SequencedSet<String> found) {
    if (found.size() > 1) {
      throw wrong(names, "has two values");
    }
    return found.stream().findFirst();
  }

  String required(String names) {
    return text(names).orElseThrow(() -> wrong(names, "is missing"));
  }

  /** Returns the text of a file under one of these names, which may be empty and hold anything. */
  Optional<String> content(String names) {
    if (names.isEmpty()) {
      return Optional.empty();
    }
    SequencedSet<String> found = new LinkedHashSet<>();
    for (String name : BAR.split(names, -1)) {
      JsonValue value = at(name);
      if (value instanceof JsonString(String text)) {
        found.add(text);
      } else if (value != null) {
        throw wrong(name, "must be a string");
      }
    }
    return only(names, found);
  }

  /** Returns all texts under these names, each a string or an array of strings. */
  SequencedSet<String> texts(String names) {
    SequencedSet<String> found = new LinkedHashSet<>();
    for (JsonValue value : values(names)) {
      if (value instanceof JsonArray list) {
        list.forEach(each -> found.add(text(names, each)));
      } else {
        found.add(text(names, value));
      }
    }
    return found;
  }

  /** Returns the first text under these names, in the order of the names. */
  Optional<String> first(String names) {
    return texts(names).stream().findFirst();
  }

  /** Returns the first text under these names, cut to a number of characters. */
  Optional<String> start(String names, int most) {
    return values(names).stream()
        .findFirst()
        .map(value ->
            value instanceof JsonString(String text)
                ? text(names, new JsonString(cut(text, most)))
                : text(names, value));
  }

  private static String cut(String text, int most) {
    return text.substring(
        0, text.offsetByCodePoints(0, Math.min(most, text.codePointCount(0, text.length()))));
  }

  /** Returns a whole number of units, rounded up. */
  Optional<Double> rounded(String names, double unit) {
    List<JsonValue> found = values(names);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (found.size() == 1 && found.getFirst() instanceof JsonNumber(double number, _)) {
      return Optional.of(Math.ceil(number / unit));
    }
    throw wrong(names, "must be a number");
  }

  /** Returns the object under these names, which some agents send as JSON text. */
  Optional<JsonObject> members(String names) {
    List<JsonValue> found = values(names);
    if (found.size() > 1) {
      throw wrong(names, "has two values");
    }
    return found.stream()
        .findFirst()
        .map(value -> {
          JsonValue open = value instanceof JsonString(String text) ? parsed(names, text) : value;
          if (open instanceof JsonObject members) {
            return members;
          }
          throw wrong(names, "must be an object");
        });
  }

  private static JsonValue parsed(String names, String text) {
    try {
      return Json.parse(text);
    } catch (JsonFault e) {
      throw wrong(names, "must be an object, or JSON text of one");
    }
  }

  private static String text(String names, JsonValue value) {
    if (value instanceof JsonString(String text)) {
      if (text.length() > MOST_TEXT) {
        throw wrong(names, "is longer than " + MOST_TEXT + " characters");
      }
      if (text.indexOf('\0') >= 0) {
        throw wrong(names, "must be text without NUL");
      }
      return text;
    }
    throw wrong(names, "must be a string");
  }

  static ProblemException wrong(String names, String fault) {
    String shown = names.replace("|", " or ");
    return ProblemException.invalid(
        shown, "The event cannot be read: " + shown + " " + fault + ".");
  }
}

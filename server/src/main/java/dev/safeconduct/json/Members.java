package dev.safeconduct.json;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of an object in a request body with the required types. A JSON null counts as
 * absent. Every fault is a {@link Problem.InvalidRequest} whose field is the member's path, for
 * example {@code capabilities[0].id}.
 */
public final class Members {
  /** Limits the answer to a body of many thousands of unknown members. */
  private static final int MAX_WARNINGS = 100;

  /** Each unknown name is compared with the known ones. */
  private static final int MAX_UNKNOWN = 1_000;

  private final JsonObject object;
  private final String path;

  private Members(JsonObject object, String path) {
    this.object = object;
    this.path = path;
  }

  /** Returns the members of a whole body. */
  public static Members of(JsonObject body) {
    return new Members(body, "");
  }

  /** Returns the members of an object at the path. */
  public static Members at(String path, JsonObject object) {
    return new Members(object, path);
  }

  /** Returns the value at the path as an object. */
  public static Members at(String path, JsonValue value) {
    if (value instanceof JsonObject object) {
      return new Members(object, path);
    }
    throw wrong(path, path + " must be an object, not " + value.typeName() + ".");
  }

  public JsonObject object() {
    return object;
  }

  /** Returns the member's path from the body's root. */
  public String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Refuses the object when it has a member that is not known. */
  public Members only(Set<String> known) {
    for (String name : object.names()) {
      if (!known.contains(name)) {
        String shown = Texts.clip(path(name));
        throw wrong(shown, shown + " is not known here" + Spelling.hint(name, known) + ".");
      }
    }
    return this;
  }

  /**
   * Refuses a misspelled member, because it would otherwise have no effect, and more than 1,000
   * unknown ones.
   *
   * @return a warning for each other member that is not known, at most 100
   */
  public List<String> unknown(Set<String> known) {
    var warnings = new ArrayList<String>();
    int unknown = 0;
    for (String name : object.names()) {
      if (!known.contains(name)) {
        if (++unknown > MAX_UNKNOWN) {
          String fault = "More than 1000 members are not known here; send only known ones.";
          throw (path.isEmpty() ? Problem.invalid(fault) : Problem.invalid(path, fault))
              .toException();
        }
        String shown = Texts.clip(path(name));
        // Short names are near to each other by chance.
        if (name.length() > 3 && Spelling.nearest(name, known).isPresent()) {
          throw wrong(shown, shown + " is not known here" + Spelling.hint(name, known) + ".");
        }
        if (warnings.size() < MAX_WARNINGS) {
          warnings.add(shown + " is not known here and is ignored.");
        }
      }
    }
    return warnings;
  }

  public boolean has(String name) {
    return object.present(name) != null;
  }

  /** Returns one line of text of 1 to {@code max} characters, trimmed. */
  public Optional<String> line(String name, int max) {
    return text(name).map(text -> Texts.line(path(name), text, max));
  }

  public String requiredLine(String name, int max) {
    return line(name, max).orElseThrow(() -> missing(name));
  }

  /** Returns text of at most {@code max} characters, which may be empty and have several lines. */
  public Optional<String> prose(String name, int max) {
    return text(name).map(text -> Texts.prose(path(name), text, max));
  }

  /** Returns the member's text unchanged. */
  public Optional<String> text(String name) {
    JsonValue value = object.present(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonString text) {
      return Optional.of(text.value());
    }
    throw wrongType(name, "a string", value);
  }

  public String requiredText(String name) {
    return text(name).orElseThrow(() -> missing(name));
  }

  public Optional<Boolean> flag(String name) {
    JsonValue value = object.present(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonBoolean flag) {
      return Optional.of(flag.value());
    }
    throw wrongType(name, "true or false", value);
  }

  public OptionalLong whole(String name, long min, long max) {
    JsonValue value = object.present(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (value instanceof JsonNumber number
        && number.isSafeInteger()
        && number.value() >= min
        && number.value() <= max) {
      return OptionalLong.of((long) number.value());
    }
    throw wrong(
        path(name), path(name) + " must be a whole number from " + min + " to " + max + ".");
  }

  public Optional<Instant> instant(String name) {
    return text(name)
        .map(text ->
            IsoInstant.parse(text)
                .orElseThrow(() ->
                    wrong(
                        path(name),
                        path(name)
                            + " must be a date-time with a zone, for example"
                            + " 2027-01-31T00:00:00Z.")));
  }

  public Optional<Members> members(String name) {
    JsonValue value = object.present(name);
    return value == null ? Optional.empty() : Optional.of(at(path(name), value));
  }

  public Members requiredMembers(String name) {
    return members(name).orElseThrow(() -> missing(name));
  }

  /** Returns the member's elements; at most {@code max} of them. */
  public Optional<JsonArray> array(String name, int max) {
    JsonValue value = object.present(name);
    if (value == null) {
      return Optional.empty();
    }
    if (!(value instanceof JsonArray array)) {
      throw wrongType(name, "an array", value);
    }
    if (array.size() > max) {
      throw wrong(path(name), path(name) + " has more than " + max + " elements.");
    }
    return Optional.of(array);
  }

  /** Returns the member's elements as lines of text, each of 1 to {@code maxLength} characters. */
  public Optional<List<String>> lines(String name, int max, int maxLength) {
    return array(name, max)
        .map(array -> {
          var lines = new ArrayList<String>();
          for (int i = 0; i < array.size(); i++) {
            String at = path(name) + "[" + i + "]";
            if (!(array.get(i) instanceof JsonString text)) {
              throw wrong(at, at + " must be a string, not " + array.get(i).typeName() + ".");
            }
            lines.add(Texts.line(at, text.value(), maxLength));
          }
          return lines;
        });
  }

  public ProblemException missing(String name) {
    return wrong(path(name), path(name) + " is missing.");
  }

  /** Returns a fault of the member with this message. */
  public ProblemException fault(String name, String message) {
    return wrong(path(name), message);
  }

  private ProblemException wrongType(String name, String wanted, @Nullable JsonValue value) {
    String found = value == null ? "nothing" : value.typeName();
    return wrong(path(name), path(name) + " must be " + wanted + ", not " + found + ".");
  }

  private static ProblemException wrong(String field, String message) {
    return Problem.invalid(field, message).toException();
  }
}

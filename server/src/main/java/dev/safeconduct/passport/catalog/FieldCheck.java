package dev.safeconduct.passport.catalog;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.text.Excerpt;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Checks values against the catalogue's fields. The evaluator denies on a malformed limit; this
 * check reports it to the owner before it is stored. A JSON null passes because it counts as
 * absent.
 */
public final class FieldCheck {
  private static final int MAX_ELEMENTS = 1000;
  private static final int MAX_TEXT = 4096;
  private static final int MAX_SHOWN = 200;
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

  private FieldCheck() {}

  public static void check(String path, Field field, JsonValue value) {
    if (value == JsonNull.NULL) {
      return;
    }
    if (field.perType() && value instanceof JsonObject byType) {
      byType.forEach((type, each) -> checkOne(path + "." + type, field, each));
      return;
    }
    checkOne(path, field, value);
  }

  /**
   * Checks the members of an object. Unknown names are rejected, because the owner may rely on them
   * as limits.
   */
  static void checkMembers(String path, Map<String, Field> known, JsonObject object) {
    object.forEach((name, value) -> {
      Field field = known.get(name);
      if (field == null) {
        throw unknown(path + "." + name, name, known);
      }
      check(path + "." + name, field, value);
    });
  }

  static ProblemException unknown(String path, String name, Map<String, Field> known) {
    return wrong(path, " is not a known limit" + Spelling.hint(name, known.keySet()) + ".");
  }

  /** Returns the fault of the member at the path; its message is the path and the rest. */
  public static ProblemException wrong(String path, String rest) {
    String field = shown(path);
    return ProblemException.invalid(field, field + rest);
  }

  /** Shortens the path for use in a response, because its names come from the request. */
  public static String shown(String path) {
    return Excerpt.clip(path, MAX_SHOWN);
  }

  private static void checkOne(String path, Field field, JsonValue value) {
    switch (field.type()) {
      case STRING_LIST, PATH_LIST, PATH_PATTERN_LIST, DOMAIN_LIST, URL_LIST -> strings(path, value);
      case CSV_LIST -> {
        if (!(value instanceof JsonString)) {
          strings(path, value);
        }
      }
      case RECIPIENT_LIST -> recipients(path, field, value);
      case OBJECT_LIST -> objects(path, field, value);
      case NUMBER -> {
        if (!(value instanceof JsonNumber number) || number.value() < 0) {
          throw wrong(path, " must be a number that is not negative.");
        }
      }
      case BOOLEAN, FLAG -> {
        if (!(value instanceof JsonBoolean)) {
          throw wrong(path, " must be true or false, not " + value.typeName() + ".");
        }
      }
      case TEXT -> text(path, field, value);
      case LEVEL -> {
        if (!(value instanceof JsonString level) || AssuranceLevel.parse(level.value()).isEmpty()) {
          throw wrong(path, " must be one of L0, L1, L2, L3, L4KYC, L4FIN.");
        }
      }
      case OBJECT -> checkMembers(path, field.members(), object(path, value));
      case MAP -> map(path, field, object(path, value));
    }
  }

  private static void map(String path, Field field, JsonObject map) {
    Field values = field.values().orElseThrow();
    map.forEach((name, value) -> {
      String at = path + "." + name;
      if (field.currencyKeys() && !CURRENCY.matcher(name).matches()) {
        throw wrong(at, " must be named by a currency code such as USD.");
      }
      check(at, values, value);
    });
  }

  private static void text(String path, Field field, JsonValue value) {
    if (!(value instanceof JsonString text) || text.value().length() > MAX_TEXT) {
      throw wrong(path, " must be a string of at most " + MAX_TEXT + " characters.");
    }
    if (!field.choices().isEmpty() && !field.choices().contains(text.value())) {
      throw wrong(path, " must be one of " + String.join(", ", field.choices()) + ".");
    }
  }

  private static void strings(String path, JsonValue value) {
    JsonArray array = array(path, value);
    for (int i = 0; i < array.size(); i++) {
      string(path + "[" + i + "]", array.get(i));
    }
  }

  private static void string(String path, JsonValue value) {
    if (!(value instanceof JsonString text) || text.value().length() > MAX_TEXT) {
      throw wrong(path, " must be a string of at most " + MAX_TEXT + " characters.");
    }
  }

  /** Checks recipients. A recipient may have the owner's notes beside its id and limits. */
  private static void recipients(String path, Field field, JsonValue value) {
    JsonArray array = array(path, value);
    for (int i = 0; i < array.size(); i++) {
      String at = path + "[" + i + "]";
      if (array.get(i) instanceof JsonObject recipient) {
        if (recipient.string("id").isEmpty()) {
          throw wrong(at + ".id", " must be a string.");
        }
        recipient.forEach((name, each) -> {
          Field member = field.members().get(name);
          if (member != null) {
            check(at + "." + name, member, each);
          } else if (Spelling.nearest(name, field.members().keySet()).isPresent()) {
            throw unknown(at + "." + name, name, field.members());
          }
        });
      } else {
        string(at, array.get(i));
      }
    }
  }

  private static void objects(String path, Field field, JsonValue value) {
    JsonArray array = array(path, value);
    for (int i = 0; i < array.size(); i++) {
      String at = path + "[" + i + "]";
      JsonObject element = object(at, array.get(i));
      for (Field member : field.members().values()) {
        if (member.required() && element.present(member.name()) == null) {
          throw wrong(at + "." + member.name(), " is missing.");
        }
      }
      checkMembers(at, field.members(), element);
    }
  }

  private static JsonArray array(String path, JsonValue value) {
    if (!(value instanceof JsonArray array)) {
      throw wrong(path, " must be an array, not " + value.typeName() + ".");
    }
    if (array.size() > MAX_ELEMENTS) {
      throw wrong(path, " has more than " + MAX_ELEMENTS + " elements.");
    }
    return array;
  }

  private static JsonObject object(String path, JsonValue value) {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw wrong(path, " must be an object, not " + value.typeName() + ".");
  }
}

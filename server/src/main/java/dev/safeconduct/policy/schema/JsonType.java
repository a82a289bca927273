package dev.safeconduct.policy.schema;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The types of JSON Schema that packs use; an integer is a number without fraction up to 2^53-1.
 */
enum JsonType {
  OBJECT("an object"),
  ARRAY("an array"),
  STRING("a string"),
  INTEGER("an integer"),
  NUMBER("a number"),
  BOOLEAN("true or false");

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final String words;

  JsonType(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }

  static Optional<JsonType> parse(String text) {
    return Arrays.stream(values()).filter(type -> type.wire.equals(text)).findFirst();
  }

  boolean admits(JsonValue value) {
    return switch (this) {
      case OBJECT -> value instanceof JsonObject;
      case ARRAY -> value instanceof JsonArray;
      case STRING -> value instanceof JsonString;
      case INTEGER -> value instanceof JsonNumber number && number.isSafeInteger();
      case NUMBER -> value instanceof JsonNumber;
      case BOOLEAN -> value instanceof JsonBoolean;
    };
  }
}

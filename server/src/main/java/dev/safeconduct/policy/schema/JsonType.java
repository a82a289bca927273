package dev.safeconduct.policy.schema;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Optional;

/**
 * The types of JSON Schema that packs use; an integer is a number without fraction up to 2^53-1.
 */
enum JsonType {
  OBJECT("object", "an object"),
  ARRAY("array", "an array"),
  STRING("string", "a string"),
  INTEGER("integer", "an integer"),
  NUMBER("number", "a number"),
  BOOLEAN("boolean", "true or false");

  private final String wire;
  private final String words;

  JsonType(String wire, String words) {
    this.wire = wire;
    this.words = words;
  }

  String words() {
    return words;
  }

  static Optional<JsonType> parse(String text) {
    for (JsonType type : values()) {
      if (type.wire.equals(text)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
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

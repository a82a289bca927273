package dev.safeconduct.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Strict JSON as maps, lists, strings, numbers, booleans and null: two readers cannot understand it
 * differently.
 */
final class Json {
  /** Without a table of names: names of one answer that collide in it would spoil the next ones. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(100).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  /**
   * Parses JSON text.
   *
   * @throws InvalidAnswer if it is not JSON in UTF-8, or has a duplicate member
   */
  static @Nullable Object parse(byte[] text) throws InvalidAnswer {
    try {
      // Jackson replaces bytes that are not UTF-8.
      String decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
      if (decoded.isBlank()) {
        throw new InvalidAnswer("the JSON is empty");
      }
      return MAPPER.readValue(decoded, Object.class);
    } catch (CharacterCodingException e) {
      throw new InvalidAnswer("the JSON is not UTF-8");
    } catch (JacksonException e) {
      throw new InvalidAnswer("not JSON: " + e.getOriginalMessage());
    }
  }

  /**
   * Returns the JSON text of a value.
   *
   * @throws IllegalArgumentException if the value has none
   */
  static byte[] write(@Nullable Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
    }
  }

  @SuppressWarnings("unchecked") // the mapper makes maps of strings
  static Map<String, @Nullable Object> object(@Nullable Object value) throws InvalidAnswer {
    if (value instanceof Map<?, ?> members) {
      return (Map<String, @Nullable Object>) members;
    }
    throw new InvalidAnswer("an object is missing");
  }

  /** Returns a list that is not empty. */
  static List<? extends @Nullable Object> list(Map<String, @Nullable Object> members, String name)
      throws InvalidAnswer {
    if (members.get(name) instanceof List<?> list && !list.isEmpty()) {
      return list;
    }
    throw new InvalidAnswer(name + " is not a list with an entry");
  }

  /** Returns a text that is not empty. */
  static String text(Map<String, @Nullable Object> members, String name) throws InvalidAnswer {
    String text = optionalText(members, name);
    if (text == null || text.isEmpty()) {
      throw new InvalidAnswer(name + " is missing");
    }
    return text;
  }

  static @Nullable String optionalText(Map<String, @Nullable Object> members, String name)
      throws InvalidAnswer {
    Object value = members.get(name);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw new InvalidAnswer(name + " is not a string");
  }

  static boolean bool(Map<String, @Nullable Object> members, String name) throws InvalidAnswer {
    if (members.get(name) instanceof Boolean value) {
      return value;
    }
    throw new InvalidAnswer(name + " is not a boolean");
  }

  static long whole(Map<String, @Nullable Object> members, String name) throws InvalidAnswer {
    Object value = members.get(name);
    if (value instanceof Integer || value instanceof Long) {
      return ((Number) value).longValue();
    }
    throw new InvalidAnswer(name + " is not a whole number");
  }
}

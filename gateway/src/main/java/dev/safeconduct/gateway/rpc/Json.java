package dev.safeconduct.gateway.rpc;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Strict JSON as maps, lists, strings, numbers, booleans and null, so that two readers cannot
 * understand a text differently. Numbers keep their value exactly.
 */
public final class Json {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_NAME_LENGTH = 4096;
  private static final int MAX_NUMBER_LENGTH = 400;

  /**
   * Without a table of names: names of one message that collide in it would spoil the next ones.
   */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(constraints(MAX_DEPTH))
          .streamWriteConstraints(
              StreamWriteConstraints.builder().maxNestingDepth(MAX_DEPTH + 8).build())
          .build();

  private static final JsonFactory LENIENT =
      JsonFactory.builder()
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(constraints(100_000))
          .build();
  private static final JsonMapper MAPPER = new JsonMapper(FACTORY);

  private Json() {}

  private static StreamReadConstraints constraints(int depth) {
    return StreamReadConstraints.builder()
        .maxNestingDepth(depth)
        .maxNameLength(MAX_NAME_LENGTH)
        .maxNumberLength(MAX_NUMBER_LENGTH)
        .maxStringLength(Integer.MAX_VALUE)
        .build();
  }

  /**
   * Parses a text in UTF-8.
   *
   * @throws JacksonException if it is not one JSON value, or has a duplicate member or more than 64
   *     levels
   * @throws CharacterCodingException if it is not UTF-8
   */
  public static @Nullable Object parse(byte[] text) throws CharacterCodingException {
    // Jackson replaces bytes that are not UTF-8.
    String decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), decoded)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new tools.jackson.core.exc.StreamReadException(parser, "there is no value");
      }
      Object value = value(parser, first);
      if (parser.nextToken() != null) {
        throw new tools.jackson.core.exc.StreamReadException(parser, "there is a second value");
      }
      return value;
    }
  }

  /** Returns the JSON text of a value. */
  public static byte[] write(@Nullable Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /** Returns the first member {@code id} of a text that {@link #parse} refuses; null if none. */
  static @Nullable Object lenientId(byte[] text) {
    try (JsonParser parser = LENIENT.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean isId = parser.currentName().equals("id");
        JsonToken token = parser.nextToken();
        if (isId) {
          return token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT
              ? Message.idOf(value(parser, token))
              : null;
        }
        parser.skipChildren();
      }
      return null;
    } catch (JacksonException e) {
      return null;
    }
  }

  private static @Nullable Object value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getNumberValue();
      case VALUE_NUMBER_FLOAT -> decimal(parser);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
          throw new tools.jackson.core.exc.StreamReadException(parser, "not a value");
    };
  }

  private static BigDecimal decimal(JsonParser parser) {
    try {
      return parser.getDecimalValue();
    } catch (NumberFormatException e) {
      throw new tools.jackson.core.exc.StreamReadException(parser, "an exponent is too large", e);
    }
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    var members = new LinkedHashMap<String, @Nullable Object>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      members.put(name, value(parser, parser.nextToken()));
    }
    return members;
  }

  private static List<@Nullable Object> array(JsonParser parser) {
    var items = new ArrayList<@Nullable Object>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      items.add(value(parser, token));
    }
    return items;
  }
}

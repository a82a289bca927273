package dev.safeconduct.json;

import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Spares;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/** Reads and writes JSON text. */
public final class Json {
  /** The deepest nesting accepted in input. */
  public static final int MAX_DEPTH = 32;

  /**
   * The most members of all objects of a document together. Each costs a name, a value and a place
   * in a map, much more than its bytes: without this limit a body of 12 MiB takes seconds. It is
   * five times what rules can look at.
   */
  public static final int MAX_MEMBERS = 50_000;

  /** The most elements of all arrays of a document together. */
  public static final int MAX_ELEMENTS = 1_000_000;

  /**
   * Without a table of names: it is shared by all documents, and one whose names collide in it
   * makes the parser refuse the next ones.
   */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(16 * 1024 * 1024)
                  .maxNameLength(64 * 1024)
                  .maxNumberLength(1000)
                  .build())
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          // NaN and Infinity are refused below: other parsers read them.
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  /** A double that is not near 0 holds as many digits of any number. */
  private static final int EXACT_DIGITS = 15;

  private static final Spares<Decoder> DECODERS = new Spares<>();

  private final JsonParser parser;
  private int members;
  private int elements;

  private Json(JsonParser parser) {
    this.parser = parser;
  }

  /**
   * Parses one strict JSON document in UTF-8.
   *
   * @throws JsonFault on malformed text, a duplicate member, a lone surrogate, nesting deeper than
   *     {@link #MAX_DEPTH}, more than {@link #MAX_MEMBERS} or {@link #MAX_ELEMENTS}, a number of
   *     more than 1000 characters, or anything after the document
   */
  public static JsonValue parse(byte[] utf8) throws JsonFault {
    Decoder spare = DECODERS.take();
    Decoder decoder = spare == null ? new Decoder() : spare;
    try (JsonParser parser = decoder.parser(utf8)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new JsonFault("The body is empty; send a JSON object.");
      }
      JsonValue value = new Json(parser).read(first);
      if (parser.nextToken() != null) {
        throw new JsonFault("There is text after the JSON document" + where(parser) + ".");
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw JsonFault.ofOurs(
          "The JSON is nested deeper than "
              + MAX_DEPTH
              + " levels, or a name or number in it is too long.");
    } catch (JacksonException e) {
      TokenStreamLocation at = e.getLocation();
      throw new JsonFault(
          "The body is not valid JSON"
              + (at == null
                  ? ""
                  : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")")
              + ".");
    } finally {
      DECODERS.giveBack(decoder);
    }
  }

  /** Parses text; see {@link #parse(byte[])}. */
  public static JsonValue parse(String text) throws JsonFault {
    for (int i = 0; i < text.length(); i++) {
      if (isLoneSurrogate(text, i)) {
        throw JsonFault.ofOurs("The text holds a lone surrogate.");
      }
    }
    return parse(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Parses a document that must be an object. */
  public static JsonObject parseObject(byte[] utf8) throws JsonFault {
    if (parse(utf8) instanceof JsonObject object) {
      return object;
    }
    throw new JsonFault("The body must be a JSON object.");
  }

  /** Compact text in member order, as ECMAScript's {@code JSON.stringify} writes it. */
  public static byte[] bytes(JsonValue value) {
    return new JsonWriter(false).value(value).bytes();
  }

  /** {@link #bytes} as a string. */
  public static String text(JsonValue value) {
    return new String(bytes(value), StandardCharsets.UTF_8);
  }

  /**
   * Decodes texts of a usual length into one buffer, which the parser reads in place. Refuses
   * overlong forms and encoded surrogates (RFC 3629), which the parser would accept, and passes
   * over a byte order mark.
   */
  private static final class Decoder {
    private static final int USUAL = 8 << 10;

    private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder(); // reports faults
    private final CharBuffer chars = CharBuffer.allocate(USUAL);

    JsonParser parser(byte[] text) throws JsonFault {
      int start = startsWithMark(text) ? 3 : 0;
      ByteBuffer bytes = ByteBuffer.wrap(text, start, text.length - start);
      CoderResult result;
      utf8.reset();
      do {
        chars.clear();
        result = utf8.decode(bytes, chars, true);
      } while (result.isOverflow());
      if (result.isError()) {
        throw new JsonFault("The body is not valid UTF-8.");
      }
      return text.length <= USUAL
          ? FACTORY.createParser(ObjectReadContext.empty(), chars.array(), 0, chars.position())
          : FACTORY.createParser(
              ObjectReadContext.empty(),
              new InputStreamReader(
                  new ByteArrayInputStream(text, start, text.length - start),
                  StandardCharsets.UTF_8));
    }

    private static boolean startsWithMark(byte[] text) {
      return text.length >= 3
          && text[0] == (byte) 0xEF
          && text[1] == (byte) 0xBB
          && text[2] == (byte) 0xBF;
    }
  }

  private JsonValue read(JsonToken token) throws JsonFault {
    return switch (token) {
      case START_OBJECT -> readObject();
      case START_ARRAY -> readArray();
      case VALUE_STRING -> new JsonString(sound(parser, parser.getString()));
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> readNumber(parser);
      case VALUE_TRUE -> JsonBoolean.TRUE;
      case VALUE_FALSE -> JsonBoolean.FALSE;
      case VALUE_NULL -> JsonNull.NULL;
      default -> throw new JsonFault("The body is not valid JSON" + where(parser) + ".");
    };
  }

  private JsonObject readObject() throws JsonFault {
    JsonObject.Builder object = JsonObject.builder();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      if (++members > MAX_MEMBERS) {
        throw tooMany(MAX_MEMBERS, "members in its objects");
      }
      sound(parser, name);
      JsonValue value = read(parser.nextToken());
      if (!object.add(name, value)) {
        throw JsonFault.ofOurs(
            "\"" + Excerpt.clip(name, 64) + "\" is a duplicate member" + where(parser) + ".");
      }
    }
    return object.build();
  }

  private JsonArray readArray() throws JsonFault {
    var values = new ArrayList<JsonValue>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (++elements > MAX_ELEMENTS) {
        throw tooMany(MAX_ELEMENTS, "elements in its arrays");
      }
      values.add(read(token));
    }
    return new JsonArray(values);
  }

  private static JsonFault tooMany(int most, String what) {
    return JsonFault.ofOurs("The JSON has more than " + most + " " + what + "; send less at once.");
  }

  private static JsonValue readNumber(JsonParser parser) throws JsonFault {
    double value = parser.getDoubleValue();
    boolean whole = parser.currentToken() == JsonToken.VALUE_NUMBER_INT;
    if (parser.getStringLength() <= EXACT_DIGITS
        && (whole || (Double.isFinite(value) && Math.abs(value) >= Double.MIN_NORMAL))) {
      return new JsonNumber(value);
    }
    String text = parser.getString();
    if (Double.isFinite(value)) {
      return new JsonNumber(value, isRounded(text, value));
    }
    if (Character.isLetter(text.charAt(text.length() - 1))) {
      throw JsonFault.ofOurs("The body is not valid JSON" + where(parser) + ": " + text + ".");
    }
    return new JsonOverflow(text);
  }

  /** Compares what was written with what will be. */
  private static boolean isRounded(String text, double value) {
    try {
      return new BigDecimal(text).compareTo(new BigDecimal(Double.toString(value))) != 0;
    } catch (NumberFormatException _) {
      return true; // an exponent of ten digits or more
    }
  }

  private static String sound(JsonParser parser, String text) throws JsonFault {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
        if (isLoneSurrogate(text, i)) {
          throw JsonFault.ofOurs("A string holds a lone surrogate" + where(parser) + ".");
        }
      }
    }
    return text;
  }

  private static boolean isLoneSurrogate(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  private static String where(JsonParser parser) {
    TokenStreamLocation at = parser.currentLocation();
    return " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
  }

  /** Returns the object that the text is; empty if it is none, because it was erased. */
  public static Optional<JsonObject> kept(byte[] text) {
    try {
      return Optional.of(parseObject(text));
    } catch (JsonFault _) {
      return Optional.empty();
    }
  }

  /** Parses text of this service's own, which is an object. */
  public static JsonObject own(byte[] text) {
    return kept(text).orElseThrow(() -> new IllegalStateException("a stored text is not JSON"));
  }
}

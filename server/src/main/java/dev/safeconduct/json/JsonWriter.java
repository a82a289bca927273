package dev.safeconduct.json;

import dev.safeconduct.text.Sha256;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * Writes compact UTF-8 JSON into a growing buffer, members sorted or in their own order. It writes
 * piece by piece where building one value first would be slow.
 */
public final class JsonWriter {
  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  private static final byte[] NONE = {};
  private static final int UUID_LENGTH = 36;
  private static final int LONGEST_NUMBER = 20;

  /** The characters that a text cannot contain as they are. */
  private static final boolean[] ESCAPED = new boolean[128];

  static {
    Arrays.fill(ESCAPED, 0, 0x20, true);
    ESCAPED['"'] = true;
    ESCAPED['\\'] = true;
  }

  private boolean sorted;
  private byte[] buffer = WriteBuffers.take();
  private int length;

  JsonWriter(boolean sorted) {
    this.sorted = sorted;
  }

  /** Returns a writer with members as ECMAScript's {@code JSON.stringify} orders them. */
  public static JsonWriter inOrder() {
    return new JsonWriter(false);
  }

  /** Ends the writing and returns all bytes; the writer cannot be used any more. */
  public byte[] bytes() {
    byte[] all = Arrays.copyOf(buffer, length);
    end();
    return all;
  }

  /** Ends the writing; the writer cannot be used any more. */
  public void end() {
    WriteBuffers.giveBack(buffer);
    buffer = NONE;
    length = 0;
  }

  /** Ends the writing and returns the SHA-256 of all bytes. */
  public byte[] sha256() {
    byte[] hash = Sha256.of(buffer, 0, length);
    end();
    return hash;
  }

  /** Returns all bytes without copying them; valid until {@link #end}. */
  public ByteBuffer written() {
    return ByteBuffer.wrap(buffer, 0, length);
  }

  /** Returns {@link CanonicalJson#digest} of the bytes written from that position on. */
  public String digestFrom(int start) {
    return "sha256:" + Sha256.hex(buffer, start, length - start);
  }

  /** Takes back what was written from that position on. */
  public JsonWriter cut(int start) {
    length = start;
    return this;
  }

  /** Writes a value in its RFC 8785 form. */
  public JsonWriter canonical(JsonValue value) {
    boolean before = sorted;
    sorted = true;
    value(value);
    sorted = before;
    return this;
  }

  /** Returns the number of bytes written so far. */
  public int length() {
    return length;
  }

  /** Returns the bytes written from that position on. */
  public byte[] bytesFrom(int start) {
    return Arrays.copyOfRange(buffer, start, length);
  }

  /** Writes bytes unchanged; the caller must make sure that the result is valid JSON. */
  public JsonWriter raw(byte[] json) {
    return raw(json, json.length);
  }

  private JsonWriter raw(byte[] json, int count) {
    reserve(count);
    System.arraycopy(json, 0, buffer, length, count);
    length += count;
    return this;
  }

  /** Writes once more what was written between two positions. */
  public JsonWriter again(int from, int to) {
    int count = to - from;
    reserve(count);
    System.arraycopy(buffer, from, buffer, length, count);
    length += count;
    return this;
  }

  /** Begins an object. */
  public JsonWriter open() {
    put('{');
    return this;
  }

  /** Begins an object with the members of one that is already written. */
  public JsonWriter open(byte[] object) {
    return raw(object, object.length - 1);
  }

  /** Ends an object. */
  public JsonWriter close() {
    put('}');
    return this;
  }

  /**
   * Writes an array of values that are already written; as with {@link #raw}, they must be JSON.
   */
  public JsonWriter array(List<byte[]> values) {
    put('[');
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        put(',');
      }
      raw(values.get(i));
    }
    put(']');
    return this;
  }

  /** Begins an array. */
  public JsonWriter openArray() {
    put('[');
    return this;
  }

  /** Begins the next element of an array. */
  public JsonWriter element() {
    if (buffer[length - 1] != '[') {
      put(',');
    }
    return this;
  }

  /** Ends an array. */
  public JsonWriter closeArray() {
    put(']');
    return this;
  }

  /** Begins the next member of an object, up to its value. */
  public JsonWriter member(String name) {
    if (buffer[length - 1] != '{') {
      put(',');
    }
    return name(name);
  }

  /** Writes a whole number. */
  public JsonWriter number(long number) {
    reserve(LONGEST_NUMBER);
    if (number < 0) {
      buffer[length++] = '-';
    }
    int digits = 1;
    for (long rest = number / 10; rest != 0; rest /= 10) {
      digits++;
    }
    length += digits;
    long rest = number;
    for (int at = length - 1; at >= length - digits; at--) {
      buffer[at] = (byte) ('0' + Math.abs(rest % 10)); // the least number has no positive one
      rest /= 10;
    }
    return this;
  }

  public JsonWriter bool(boolean value) {
    ascii(value ? "true" : "false");
    return this;
  }

  /** Writes a text in quotes. */
  public JsonWriter text(String text) {
    string(text);
    return this;
  }

  /** Writes a text in quotes: a prefix without characters to escape, then the bytes in base64. */
  public JsonWriter base64(String prefix, byte[] bytes) {
    put('"');
    ascii(prefix);
    byte[] encoded = WriteBuffers.take(); // long enough for every signature
    raw(encoded, Base64.getEncoder().encode(bytes, encoded));
    WriteBuffers.giveBack(encoded);
    put('"');
    return this;
  }

  /** Writes the UUID's usual form in quotes. */
  public JsonWriter uuid(UUID id) {
    reserve(UUID_LENGTH + 2);
    long most = id.getMostSignificantBits();
    long least = id.getLeastSignificantBits();
    buffer[length++] = '"';
    hex(most >>> 32, 8, '-');
    hex(most >>> 16, 4, '-');
    hex(most, 4, '-');
    hex(least >>> 48, 4, '-');
    hex(least, 12, '"');
    return this;
  }

  private void hex(long bits, int digits, char next) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      buffer[length++] = HEX[(int) (bits >>> shift) & 0xF];
    }
    buffer[length++] = (byte) next;
  }

  /** Writes a time as {@link IsoInstant#millis} does. */
  public JsonWriter millis(Instant at) {
    return time(at, true);
  }

  /** Writes a time as {@link IsoInstant#seconds} does. */
  public JsonWriter seconds(Instant at) {
    return time(at, false);
  }

  private JsonWriter time(Instant at, boolean millis) {
    put('"');
    reserve(IsoInstant.MILLIS_LENGTH);
    length = IsoInstant.write(at, millis, buffer, length);
    put('"');
    return this;
  }

  /** Writes a member's name, up to its value. */
  public JsonWriter name(String name) {
    string(name);
    put(':');
    return this;
  }

  /** Writes a value. */
  public JsonWriter value(JsonValue value) {
    if (value instanceof JsonString text) { // most are; the switch tests one type at a time
      string(text.value());
      return this;
    }
    switch (value) {
      case JsonObject object -> object(object);
      case JsonArray array -> array(array);
      case JsonString text -> string(text.value());
      case JsonNumber number -> number(number.value());
      case JsonOverflow number -> overflow(number.text());
      case JsonBoolean bool -> bool(bool.value());
      case JsonNull _ -> ascii("null");
    }
    return this;
  }

  private void number(double number) {
    if (EcmaNumber.isWhole(number)) {
      number((long) number);
    } else {
      ascii(EcmaNumber.format(number));
    }
  }

  private void overflow(String number) {
    if (sorted) {
      string(number); // RFC 8785 has no form of it, and another implementation would refuse it
    } else {
      ascii(number);
    }
  }

  private void object(JsonObject object) {
    MemberTable members = object.members();
    put('{');
    if (sorted && !isSorted(members)) {
      String[] names = members.sortedNames();
      for (int i = 0; i < names.length; i++) {
        member(i, names[i], Objects.requireNonNull(members.get(names[i])));
      }
    } else {
      for (int i = 0; i < members.size(); i++) {
        member(i, members.name(i), members.value(i));
      }
    }
    put('}');
  }

  private void member(int place, String name, JsonValue value) {
    if (place > 0) {
      put(',');
    }
    name(name).value(value);
  }

  /** Most objects of this service are already sorted; sorting is for input from callers. */
  private static boolean isSorted(MemberTable members) {
    for (int i = 1; i < members.size(); i++) {
      if (members.name(i).compareTo(members.name(i - 1)) < 0) {
        return false;
      }
    }
    return true;
  }

  private void array(JsonArray array) {
    put('[');
    for (int i = 0; i < array.size(); i++) {
      if (i > 0) {
        put(',');
      }
      value(array.get(i));
    }
    put(']');
  }

  /** RFC 8785 section 3.2.2.2: only quote, backslash and control characters are escaped. */
  private void string(String text) {
    int count = text.length();
    reserve(count + 2);
    buffer[length++] = '"';
    byte[] to = buffer;
    int start = length;
    for (int i = 0; i < count; i++) {
      char c = text.charAt(i);
      if (c >= 0x80 || ESCAPED[c]) {
        escaped(text);
        put('"');
        return;
      }
      to[start + i] = (byte) c;
    }
    length += count;
    buffer[length++] = '"';
  }

  private void escaped(String text) {
    reserve(text.length() * 3);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
        buffer[length++] = (byte) c;
      } else if (c < 0x80) {
        escape(c);
        reserve((text.length() - i) * 3);
      } else {
        i += utf8(text, i, c);
      }
    }
  }

  /** Returns how many further chars were taken: 1 for a surrogate pair, else 0. */
  private int utf8(String text, int i, char c) {
    if (c < 0x800) {
      buffer[length++] = (byte) (0xC0 | (c >> 6));
      buffer[length++] = (byte) (0x80 | (c & 0x3F));
      return 0;
    }
    if (Character.isHighSurrogate(c)
        && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1))) {
      int point = Character.toCodePoint(c, text.charAt(i + 1));
      buffer[length++] = (byte) (0xF0 | (point >> 18));
      buffer[length++] = (byte) (0x80 | ((point >> 12) & 0x3F));
      buffer[length++] = (byte) (0x80 | ((point >> 6) & 0x3F));
      buffer[length++] = (byte) (0x80 | (point & 0x3F));
      return 1;
    }
    if (Character.isSurrogate(c)) {
      throw new IllegalArgumentException("a lone surrogate has no UTF-8 form");
    }
    buffer[length++] = (byte) (0xE0 | (c >> 12));
    buffer[length++] = (byte) (0x80 | ((c >> 6) & 0x3F));
    buffer[length++] = (byte) (0x80 | (c & 0x3F));
    return 0;
  }

  private void escape(char c) {
    reserve(6);
    buffer[length++] = '\\';
    switch (c) {
      case '"', '\\' -> buffer[length++] = (byte) c;
      case '\b' -> buffer[length++] = 'b';
      case '\t' -> buffer[length++] = 't';
      case '\n' -> buffer[length++] = 'n';
      case '\f' -> buffer[length++] = 'f';
      case '\r' -> buffer[length++] = 'r';
      default -> {
        buffer[length++] = 'u';
        buffer[length++] = '0';
        buffer[length++] = '0';
        buffer[length++] = HEX[c >> 4];
        buffer[length++] = HEX[c & 0xF];
      }
    }
  }

  private void ascii(String text) {
    int count = text.length();
    reserve(count);
    byte[] to = buffer;
    int start = length;
    for (int i = 0; i < count; i++) {
      to[start + i] = (byte) text.charAt(i);
    }
    length = start + count;
  }

  private void put(char c) {
    reserve(1);
    buffer[length++] = (byte) c;
  }

  private void reserve(int more) {
    if (buffer.length - length < more) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
    }
  }
}

package dev.safeconduct.json;

import dev.safeconduct.text.Sha256;

/**
 * The JSON Canonicalization Scheme (RFC 8785): members sorted by UTF-16 code units, numbers as
 * ECMAScript writes them, no white space. All digests and signatures use this form. A {@link
 * JsonOverflow}, which the scheme cannot write, becomes a string with the number's text.
 */
public final class CanonicalJson {
  private CanonicalJson() {}

  /** Returns the canonical UTF-8 bytes of the value. */
  public static byte[] bytes(JsonValue value) {
    return new JsonWriter(true).value(value).bytes();
  }

  /** Returns {@code sha256:} and 64 lower-case hex digits over the canonical bytes. */
  public static String digest(JsonValue value) {
    JsonWriter writer = new JsonWriter(true).value(value);
    String digest = writer.digestFrom(0);
    writer.end();
    return digest;
  }

  /** Returns {@link #digest(JsonValue)} of bytes that are already canonical. */
  public static String digest(byte[] canonical) {
    return "sha256:" + Sha256.hex(canonical);
  }
}

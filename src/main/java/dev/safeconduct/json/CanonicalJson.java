package dev.safeconduct.json;

/**
 * The JSON Canonicalization Scheme (RFC 8785): members sorted by UTF-16 code units, numbers as
 * ECMAScript writes them, no white space. What we digest and sign is always in this form.
 */
public final class CanonicalJson {
  private CanonicalJson() {}

  /** The canonical UTF-8 bytes of the value. */
  public static byte[] bytes(JsonValue value) {
    return new JsonWriter(true).write(value);
  }
}

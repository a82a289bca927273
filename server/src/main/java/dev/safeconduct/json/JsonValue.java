package dev.safeconduct.json;

/**
 * One JSON value (RFC 8259). Immutable; object members keep the order they were written in.
 *
 * <p>Numbers are IEEE 754 doubles, as RFC 8785 section 3.2.2.3 requires for signed data; a number
 * beyond a double is a {@link JsonOverflow}.
 */
public sealed interface JsonValue
    permits JsonArray, JsonBoolean, JsonNull, JsonNumber, JsonObject, JsonOverflow, JsonString {

  /** Returns the type's name in error messages: object, array, string, number, boolean. */
  String typeName();
}

package dev.safeconduct.http2;

/**
 * A header field, or a pseudo-header field, whose name starts with a colon.
 *
 * @param name in lower case, as RFC 9113 section 8.2 wants it
 * @param value one char an octet
 */
public record Field(String name, String value) {}

package dev.safeconduct.gateway.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Values of the headers {@code Mcp-Name} and {@code Mcp-Param-*}: as they are, or in Base64 between
 * {@code =?base64?} and {@code ?=} (MCP 2026-07-28, Streamable HTTP, "Value Encoding").
 */
public final class HeaderValue {
  private static final String PREFIX = "=?base64?";
  private static final String SUFFIX = "?=";

  private HeaderValue() {}

  /** Returns the value as a header can carry it. */
  public static String encode(String value) {
    boolean plain =
        value.chars().allMatch(c -> c >= 0x20 && c <= 0x7e)
            && value.equals(value.strip())
            && !isEncoded(value);
    if (plain) {
      return value;
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return PREFIX + Base64.getEncoder().encodeToString(bytes) + SUFFIX;
  }

  /** Returns what the header says, or nothing when its Base64 or its UTF-8 is not valid. */
  public static Optional<String> decode(String header) {
    if (!isEncoded(header)) {
      boolean printable = header.chars().allMatch(c -> c == '\t' || (c >= 0x20 && c <= 0x7e));
      return printable ? Optional.of(header) : Optional.empty();
    }
    String text = header.substring(PREFIX.length(), header.length() - SUFFIX.length());
    if (text.length() % 4 != 0) {
      return Optional.empty(); // Java's decoder accepts a missing padding; the format does not.
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
      return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
    } catch (IllegalArgumentException | CharacterCodingException _) {
      return Optional.empty();
    }
  }

  private static boolean isEncoded(String value) {
    return value.length() >= PREFIX.length() + SUFFIX.length()
        && value.startsWith(PREFIX)
        && value.endsWith(SUFFIX);
  }
}

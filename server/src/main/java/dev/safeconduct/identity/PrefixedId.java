package dev.safeconduct.identity;

import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** The public form of UUIDs: a prefix that names what they identify, and 32 hex digits. */
public record PrefixedId(String prefix) {
  private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{32}");

  public String of(UUID id) {
    return prefix + id.toString().replace("-", "");
  }

  /** Returns the UUID of an id; empty if the text is not a valid one. */
  public Optional<UUID> parse(String text) {
    int start = prefix.length();
    if (!text.startsWith(prefix) || !DIGITS.matcher(text.substring(start)).matches()) {
      return Optional.empty();
    }
    int middle = start + 16;
    return Optional.of(
        new UUID(
            HexFormat.fromHexDigitsToLong(text, start, middle),
            HexFormat.fromHexDigitsToLong(text, middle, text.length())));
  }
}

package dev.safeconduct.passport;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where an agent may act: an ISO 3166-1 country, a subdivision of one (ISO 3166-2), a bloc used as
 * a code, or everywhere.
 */
final class Region {
  private static final Pattern CODE = Pattern.compile("[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?");

  private Region() {}

  /** The entry as it is stored: codes in capitals, {@code global} in small letters. */
  static Optional<String> parse(String text) {
    if (text.equals("*") || text.equalsIgnoreCase("global")) {
      return Optional.of(text.toLowerCase(Locale.ROOT));
    }
    // Matched first: other alphabets have letters whose capitals are A to Z.
    return CODE.matcher(text).matches()
        ? Optional.of(text.toUpperCase(Locale.ROOT))
        : Optional.empty();
  }
}

package dev.safeconduct.passport;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A region where an agent may act: an ISO 3166-1 country, an ISO 3166-2 subdivision, a bloc used as
 * a code, or everywhere.
 */
final class Region {
  private static final Pattern CODE = Pattern.compile("[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?");

  private Region() {}

  /** Returns the stored form of the entry: codes in upper case, {@code global} in lower case. */
  static Optional<String> parse(String text) {
    if (text.equals("*") || text.equalsIgnoreCase("global")) {
      return Optional.of(text.toLowerCase(Locale.ROOT));
    }
    // Match before upper-casing: some letters of other alphabets have capitals from A to Z.
    return CODE.matcher(text).matches()
        ? Optional.of(text.toUpperCase(Locale.ROOT))
        : Optional.empty();
  }
}

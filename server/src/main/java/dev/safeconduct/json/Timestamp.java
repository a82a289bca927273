package dev.safeconduct.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A date-time in packs: {@code YYYY-MM-DDThh:mm:ss[.fff](Z|±hh:mm)} with valid values and a zone,
 * the profile of RFC 3339 without leap seconds. A fraction has one to nine digits.
 */
public final class Timestamp {
  private static final Pattern SHAPE =
      Pattern.compile(
          "([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?)"
              + "(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))");

  private Timestamp() {}

  /** Returns the instant, exact to the nanosecond; empty when the text is not a valid date-time. */
  public static Optional<Instant> parse(String text) {
    Matcher parts = SHAPE.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      Instant utc = LocalDateTime.parse(parts.group(1)).toInstant(ZoneOffset.UTC);
      return Optional.of(parts.group(2) == null ? utc : utc.minusSeconds(ahead(parts)));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  /** Returns the zone's offset from UTC in seconds; up to a day, unlike {@link ZoneOffset}. */
  private static long ahead(Matcher parts) {
    long seconds =
        Integer.parseInt(parts.group(3)) * 3600L + Integer.parseInt(parts.group(4)) * 60L;
    return parts.group(2).equals("+") ? seconds : -seconds;
  }
}

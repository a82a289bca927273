package dev.safeconduct.json;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** The JSON format of a date-time: ISO 8601, UTC, {@code Z}. */
public final class IsoInstant {
  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");
  private static final int LONGEST = 40;

  private IsoInstant() {}

  /** Returns the text with three fraction digits, for example {@code 2026-11-21T09:00:00.000Z}. */
  public static String millis(Instant at) {
    return text(at, true);
  }

  /** Returns the text with whole seconds, for example {@code 2026-11-21T09:00:00Z}. */
  public static String seconds(Instant at) {
    return text(at, false);
  }

  /** Writes digit by digit, because every decision has four of these and a formatter is slow. */
  private static String text(Instant at, boolean millis) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(at.getEpochSecond(), 0, ZoneOffset.UTC);
    int year = time.getYear();
    if (year < 0 || year > 9999) {
      throw new DateTimeException("a year of four digits is wanted");
    }
    byte[] text = "0000-00-00T00:00:00.000Z".getBytes(StandardCharsets.ISO_8859_1);
    digits(text, 3, year);
    digits(text, 6, time.getMonthValue());
    digits(text, 9, time.getDayOfMonth());
    digits(text, 12, time.getHour());
    digits(text, 15, time.getMinute());
    digits(text, 18, time.getSecond());
    digits(text, 22, at.getNano() / 1_000_000);
    if (millis) {
      return new String(text, StandardCharsets.ISO_8859_1);
    }
    text[19] = 'Z';
    return new String(text, 0, 20, StandardCharsets.ISO_8859_1);
  }

  /** Writes the number so that its last digit is at the position. */
  private static void digits(byte[] text, int last, int number) {
    int rest = number;
    for (int at = last; rest > 0; at--) {
      text[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  /**
   * Parses a date-time with its zone (RFC 3339), in either case, cut to the millisecond. Returns
   * empty for any other text, and when the year in UTC does not have four digits.
   */
  public static Optional<Instant> parse(String text) {
    return text.length() > LONGEST
        ? Optional.empty()
        : Timestamp.parse(text.toUpperCase(Locale.ROOT))
            .map(at -> at.truncatedTo(ChronoUnit.MILLIS))
            .filter(at -> !at.isBefore(FIRST) && !at.isAfter(LAST));
  }
}

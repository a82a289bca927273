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

  /** The number of characters of {@link #millis}. */
  static final int MILLIS_LENGTH = 24;

  private IsoInstant() {}

  /** Returns the text with three fraction digits, for example {@code 2026-11-21T09:00:00.000Z}. */
  public static String millis(Instant at) {
    return text(at, true);
  }

  /** Returns the text with whole seconds, for example {@code 2026-11-21T09:00:00Z}. */
  public static String seconds(Instant at) {
    return text(at, false);
  }

  private static String text(Instant at, boolean millis) {
    var text = new byte[MILLIS_LENGTH];
    return new String(text, 0, write(at, millis, text, 0), StandardCharsets.ISO_8859_1);
  }

  /**
   * Writes digit by digit, because every decision has four of these and a formatter is slow.
   *
   * @return the position after the text
   */
  static int write(Instant at, boolean millis, byte[] to, int start) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(at.getEpochSecond(), 0, ZoneOffset.UTC);
    int year = time.getYear();
    if (year < 0 || year > 9999) {
      throw new DateTimeException("a year of four digits is wanted");
    }
    int end = digits(to, start, 4, year, '-');
    end = digits(to, end, 2, time.getMonthValue(), '-');
    end = digits(to, end, 2, time.getDayOfMonth(), 'T');
    end = digits(to, end, 2, time.getHour(), ':');
    end = digits(to, end, 2, time.getMinute(), ':');
    end = digits(to, end, 2, time.getSecond(), millis ? '.' : 'Z');
    return millis ? digits(to, end, 3, at.getNano() / 1_000_000, 'Z') : end;
  }

  /** Writes a number of that many digits, and what follows it; returns the position after both. */
  private static int digits(byte[] to, int start, int count, int number, char next) {
    int rest = number;
    for (int at = start + count - 1; at >= start; at--) {
      to[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    to[start + count] = (byte) next;
    return start + count + 1;
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

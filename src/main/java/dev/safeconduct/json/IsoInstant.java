package dev.safeconduct.json;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A moment as our JSON spells it: ISO 8601, UTC, {@code Z}. */
public final class IsoInstant {
  private IsoInstant() {}

  /** Always three fraction digits, for example {@code 2026-11-21T09:00:00.000Z}. */
  public static String millis(Instant at) {
    return text(at, true);
  }

  /** Whole seconds, for example {@code 2026-11-21T09:00:00Z}. */
  public static String seconds(Instant at) {
    return text(at, false);
  }

  /** Digit by digit, because every decision has four of these and a formatter takes its time. */
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

  /** Writes the number so that its last digit stands at the place. */
  private static void digits(byte[] text, int last, int number) {
    int rest = number;
    for (int at = last; rest > 0; at--) {
      text[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  /** A date-time with its zone (RFC 3339), cut to the millisecond; empty for any other text. */
  public static Optional<Instant> parse(String text) {
    if (text.length() < 20 || text.length() > 40 || text.charAt(4) != '-') {
      return Optional.empty();
    }
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MILLIS));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}

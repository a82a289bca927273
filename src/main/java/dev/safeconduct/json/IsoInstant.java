package dev.safeconduct.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** A moment as our JSON spells it: ISO 8601, UTC, {@code Z}. */
public final class IsoInstant {
  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private IsoInstant() {}

  /** Always three fraction digits, for example {@code 2026-11-21T09:00:00.000Z}. */
  public static String millis(Instant at) {
    return MILLIS.format(at);
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

package dev.safeconduct.policy;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Optional;

/** A fixed lifetime of a charge. */
public enum Window implements Lifetime {
  MINUTE("minute", 60_000),
  HOUR("hour", 3_600_000),
  /** The UTC calendar day. */
  DAY("day", 86_400_000),
  /** The 24 hours after the event, in which an idempotency key cannot be reused. */
  ROLLING_DAY("24h", 86_400_000),
  FOREVER("forever", Long.MAX_VALUE);

  /** The maximum number of distinct expiry times of a sliding counter. */
  private static final long STEPS = 600;

  private final String wire;
  private final long millis;

  Window(String wire, long millis) {
    this.wire = wire;
    this.millis = millis;
  }

  @Override
  public String wire() {
    return wire;
  }

  /** Returns the shortest sliding window that covers the seconds, but at most 24 hours. */
  public static Window reaching(int seconds) {
    return seconds <= 60 ? MINUTE : seconds <= 3600 ? HOUR : ROLLING_DAY;
  }

  public static Optional<Window> parse(String text) {
    return Arrays.stream(values()).filter(window -> window.wire.equals(text)).findFirst();
  }

  /**
   * Returns when a charge made now expires, in milliseconds since the epoch. The time is exact for
   * caps up to 600. Above that, expiry times are rounded up to a 600th of the window, to keep a
   * busy counter small. A charge may then count that much longer, never shorter.
   */
  public long expiry(Instant now, double cap) {
    return switch (this) {
      case FOREVER -> Long.MAX_VALUE;
      case DAY ->
          LocalDate.ofInstant(now, ZoneOffset.UTC)
              .plusDays(1)
              .atStartOfDay(ZoneOffset.UTC)
              .toInstant()
              .toEpochMilli();
      case MINUTE, HOUR, ROLLING_DAY -> {
        long end = now.toEpochMilli() + millis;
        long step = cap <= STEPS ? 1 : millis / STEPS;
        yield Math.ceilDiv(end, step) * step;
      }
    };
  }
}

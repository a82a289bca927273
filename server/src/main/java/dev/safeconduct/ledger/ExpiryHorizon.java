package dev.safeconduct.ledger;

/**
 * The time up to which expired rows may be deleted. Caps and idempotency keys need their rows until
 * they have expired, and a clock may jump ahead and come back. So the horizon never follows a jump:
 * it moves by twice the time between two calls, counted in calls and not by any clock, and never
 * beyond the clocks. It starts at the last record's time, as a clock may also be wrong at the
 * start. After a pause of the service it catches up in as long as the pause was.
 */
final class ExpiryHorizon {
  /**
   * How long expired rows are kept. A clock may be ahead for as long without harm, and an entry
   * that was evaluated this long ago still finds every charge that was live then.
   */
  static final long MARGIN_MS = 30 * 60_000L;

  private long trustedMs;

  /**
   * @param lastRecordMs the time of the log's last record
   * @param nowMs the time by the clock
   */
  ExpiryHorizon(long lastRecordMs, long nowMs) {
    this.trustedMs = Math.min(lastRecordMs, nowMs);
  }

  /** Moves on; called once for every {@code stepMs}. */
  void advance(long stepMs, long nowMs) {
    trustedMs = Math.min(nowMs, trustedMs + 2 * stepMs);
  }

  /** Returns the horizon, which is not beyond the time of the latest decision either. */
  long ms(long latestMs) {
    return latestMs == Long.MIN_VALUE ? latestMs : Math.min(trustedMs, latestMs) - MARGIN_MS;
  }
}

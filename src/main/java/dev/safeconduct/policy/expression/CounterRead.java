package dev.safeconduct.policy.expression;

/**
 * A look at a counter whose name is written out.
 *
 * @param column where it stands in the source, counted in UTF-16 units from 1
 * @param counter its name; of an idempotency key {@code idempotency_key}
 * @param kind what is looked at
 * @param seconds how far back; 0 where that is not written out or not said in seconds
 */
public record CounterRead(int column, String counter, Kind kind, int seconds) {
  /** What is looked at. */
  public enum Kind {
    /** A sum or a count of the UTC day. */
    DAY,
    /** A count of the last seconds. */
    WINDOW,
    /** Whether an idempotency key was used. */
    KEY,
    /** What a set holds. */
    SET
  }
}

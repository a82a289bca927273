package dev.safeconduct.policy.expression;

/**
 * A read of a counter whose name is a literal.
 *
 * @param column its place in the source, counted in UTF-16 units from 1
 * @param counter its name; {@code idempotency_key} for an idempotency key
 * @param kind the kind of counter
 * @param seconds the length of the window; 0 if it is not a literal or does not apply
 */
public record CounterRead(int column, String counter, Kind kind, int seconds) {
  /** The kind of counter. */
  public enum Kind {
    /** A sum or count of the UTC day. */
    DAY,
    /** A count over the last seconds. */
    WINDOW,
    /** Whether an idempotency key was used. */
    KEY,
    /** The members of a set. */
    SET
  }
}

package dev.safeconduct.ledger;

/**
 * An amount that an allowed action adds to a counter until it expires.
 *
 * @param name the counter's name in its pack; empty where it is not known
 * @param amount events or minor units, at least 1
 * @param expiresAtMs when it stops counting (milliseconds since the epoch; exclusive): the end of
 *     the UTC day, the event's time plus the window, the end of a session, or {@link
 *     Long#MAX_VALUE}
 */
public record Charge(CounterKey key, String name, long amount, long expiresAtMs) {
  public Charge {
    if (amount < 1) {
      throw new IllegalArgumentException("a charge is at least 1");
    }
  }

  /** Creates a charge of a counter whose name is not known. */
  public Charge(CounterKey key, long amount, long expiresAtMs) {
    this(key, "", amount, expiresAtMs);
  }
}

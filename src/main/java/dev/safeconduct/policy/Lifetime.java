package dev.safeconduct.policy;

import dev.safeconduct.policy.expression.Expression;

/** How long a charge counts: for a fixed window, or for as long as the action itself asks. */
public sealed interface Lifetime permits Window, Lifetime.Lives {
  /** Part of the counter's key: counters of one name but different lifetimes are different. */
  String wire();

  /**
   * Until the thing that was allowed ends, such as a session.
   *
   * @param seconds gives how long that is; no answer denies
   */
  record Lives(Expression seconds) implements Lifetime {
    @Override
    public String wire() {
      return "live";
    }
  }
}

package dev.safeconduct.policy;

import dev.safeconduct.policy.expression.Expression;

/** The lifetime of a charge: a fixed window, or a time that the action itself requests. */
public sealed interface Lifetime permits Window, Lifetime.Lives {
  /**
   * Returns a part of the counter's key: counters of one name with different lifetimes are
   * different.
   */
  String wire();

  /**
   * A lifetime until the allowed object ends, such as a session.
   *
   * @param seconds yields the lifetime; the rule denies if it yields no value
   */
  record Lives(Expression seconds) implements Lifetime {
    @Override
    public String wire() {
      return "live";
    }
  }
}

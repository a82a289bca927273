package dev.safeconduct.decision.facts;

/** One limit as a rule reads it: absent, of the wrong form (which always denies), or a value. */
public sealed interface Reading<T> {
  /** Not set, or JSON null. */
  record Absent<T>() implements Reading<T> {}

  /** Set, but not of the form the limit has. */
  record Malformed<T>() implements Reading<T> {}

  record Present<T>(T value) implements Reading<T> {}
}

package dev.safeconduct.decision;

/** The value of a limit for a rule: absent, malformed (which always denies), or present. */
public sealed interface Reading<T> {
  /** The limit is not set, or is JSON null. */
  record Absent<T>() implements Reading<T> {}

  /** The limit is set, but its form is wrong. */
  record Malformed<T>() implements Reading<T> {}

  record Present<T>(T value) implements Reading<T> {}
}

package dev.safeconduct.decision;

import java.util.function.Function;

/** The value of a limit for a rule: absent, malformed (which always denies), or present. */
public sealed interface Reading<T> {
  /** The limit is not set, or is JSON null. */
  record Absent<T>() implements Reading<T> {}

  /** The limit is set, but its form is wrong. */
  record Malformed<T>() implements Reading<T> {}

  record Present<T>(T value) implements Reading<T> {}

  /** Returns the same reading with another form of its value. */
  default <R> Reading<R> map(Function<? super T, ? extends R> form) {
    return switch (this) {
      case Absent<T> _ -> new Absent<>();
      case Malformed<T> _ -> new Malformed<>();
      case Present<T>(T value) -> new Present<>(form.apply(value));
    };
  }
}

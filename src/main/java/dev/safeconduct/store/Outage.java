package dev.safeconduct.store;

import dev.safeconduct.problem.Problem;

/** What callers are told when the store does not serve. */
final class Outage {
  private Outage() {}

  static Problem failed() {
    return new Problem.Unavailable(
        "The store could not be reached or written; nothing was decided. Try again shortly.", 1);
  }

  static Problem stopping() {
    return new Problem.Unavailable("The server is stopping. Try again shortly.", 1);
  }

  static Problem full() {
    return new Problem.Unavailable("Too many requests wait to be recorded. Try again shortly.", 1);
  }
}

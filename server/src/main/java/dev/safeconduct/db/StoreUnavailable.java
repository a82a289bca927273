package dev.safeconduct.db;

import dev.safeconduct.error.Problem;

/** The problem returned to callers when the store is unavailable. */
public final class StoreUnavailable {
  private StoreUnavailable() {}

  public static Problem failed() {
    return new Problem.Unavailable(
        "The store could not be reached or written; nothing was decided. Try again shortly.", 1);
  }

  public static Problem stopping() {
    return new Problem.Unavailable("The server is stopping. Try again shortly.", 1);
  }

  public static Problem full() {
    return new Problem.Unavailable("Too many requests wait to be recorded. Try again shortly.", 1);
  }
}

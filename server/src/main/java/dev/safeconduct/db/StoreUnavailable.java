package dev.safeconduct.db;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import org.slf4j.event.Level;

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

  /** A decision is worth nothing to a caller who has stopped waiting for it. */
  public static Problem late() {
    return new Problem.Unavailable(
        "The request waited too long for the store; nothing was decided. Try again shortly.", 1);
  }

  /** The log in the database lacks records that a node has seen. */
  public static Problem otherLog() {
    return new Problem.Unavailable(
        "The database does not hold the audit log that this service has seen; nothing was decided"
            + " and nothing is recorded until an operator has looked into it.",
        30);
  }

  public static Problem clocksDiffer() {
    return new Problem.Unavailable(
        "This node's clock differs from the database's; nothing was decided. Ask another node.", 5);
  }

  /** Returns how to log the error of background work: the outage itself is in the log already. */
  public static Level level(Throwable fault) {
    return fault instanceof ProblemException e && e.problem() instanceof Problem.Unavailable
        ? Level.DEBUG
        : Level.WARN;
  }

  public static Problem full() {
    return new Problem.Unavailable("Too many requests wait to be recorded. Try again shortly.", 1);
  }
}

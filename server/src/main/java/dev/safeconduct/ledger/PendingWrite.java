package dev.safeconduct.ledger;

import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.Problem;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A pending write, on which the calling thread waits for the writer's result. The writer first
 * notes the result and delivers it once the batch is durable.
 */
final class PendingWrite<T> {
  private final Thread waiter = Thread.currentThread();
  private @Nullable T answer;
  private @Nullable Problem problem;
  private volatile boolean settled;

  void note(T noted) {
    answer = noted;
    problem = null;
  }

  void noteProblem(Problem noted) {
    answer = null;
    problem = noted;
  }

  /** Delivers the last noted result to the waiting thread. */
  void settle() {
    settled = true;
    LockSupport.unpark(waiter);
  }

  /**
   * Waits and ignores interrupts: a queued write will be executed, so its outcome must be known.
   */
  T await() {
    boolean interrupted = false;
    while (!settled) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (answer == null) {
      throw (problem == null ? StoreUnavailable.failed() : problem).toException();
    }
    return answer;
  }
}

package dev.safeconduct.store;

import dev.safeconduct.problem.Problem;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Where the thread that made it waits for the writer's answer. The writer first notes what the
 * answer will be and hands it out once the batch is durable.
 */
final class Ticket<T> {
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

  /** Lets the waiter go on with what was noted last. */
  void settle() {
    settled = true;
    LockSupport.unpark(waiter);
  }

  /**
   * Waits without regard to interrupts: what was queued will be written, so its outcome must be
   * known.
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
      throw (problem == null ? Outage.failed() : problem).toException();
    }
    return answer;
  }
}

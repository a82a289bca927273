package dev.safeconduct.ledger;

import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.Problem;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A pending write, on which the calling thread waits for the writer's result. The writer first
 * notes the result and delivers it once the batch is durable. A write that has waited too long is
 * refused unless the writer has taken it, and is not executed then.
 */
final class PendingWrite<T> {
  private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private enum State {
    QUEUED,
    TAKEN,
    SETTLED
  }

  private final Thread waiter = Thread.currentThread();
  private final long since = System.nanoTime();
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private @Nullable T answer;
  private @Nullable Problem problem;

  /** Takes it; returns false when somebody else has taken it. */
  boolean take() {
    return state.compareAndSet(State.QUEUED, State.TAKEN);
  }

  /** Returns whether the caller has waited so long that the work must not be done any more. */
  boolean isOverdue() {
    return hasWaited(MOST_WAIT_NANOS);
  }

  boolean hasWaited(long nanos) {
    return System.nanoTime() - since >= nanos;
  }

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
    state.set(State.SETTLED);
    LockSupport.unpark(waiter);
  }

  /** Delivers the problem instead of executing the write, unless somebody has taken it. */
  void refuse(Problem reason) {
    if (take()) {
      noteProblem(reason);
      settle();
    }
  }

  /**
   * Waits for the result and ignores interrupts: a write that was taken will be executed, so its
   * outcome must be known. It sets no timer, which costs as much as parsing a request: the writer's
   * watch refuses what waits too long.
   */
  T await() {
    boolean interrupted = false;
    while (state.get() != State.SETTLED) {
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

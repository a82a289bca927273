package dev.safeconduct.ledger;

import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.Problem;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A pending write, on which the calling thread waits for the writer's result. The writer first
 * notes the result and delivers it once the batch is durable. Until the writer takes it, the caller
 * may give up: it is not executed then.
 */
final class PendingWrite<T> {
  private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FIRST_LOOK_NANOS = Writer.STUCK_NANOS;
  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private enum State {
    QUEUED,
    TAKEN,
    GIVEN_UP,
    SETTLED
  }

  private final Thread waiter = Thread.currentThread();
  private final long since = System.nanoTime();
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private @Nullable T answer;
  private @Nullable Problem problem;

  /** Takes it out of the queue; returns false when the caller has given up. */
  boolean take() {
    return state.compareAndSet(State.QUEUED, State.TAKEN);
  }

  /** Returns whether the caller has waited so long that the work must not be done any more. */
  boolean isOverdue() {
    return System.nanoTime() - since > MOST_WAIT_NANOS;
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

  /**
   * Waits for the result and ignores interrupts: a write that was taken will be executed, so its
   * outcome must be known.
   *
   * @param stuck whether the writer waits for a database that does not answer
   */
  T await(BooleanSupplier stuck) {
    boolean interrupted = false;
    long look = FIRST_LOOK_NANOS;
    while (state.get() != State.SETTLED) {
      long waited = System.nanoTime() - since;
      if (waited >= look) {
        look = waited + LOOK_EVERY_NANOS;
        if ((isOverdue() || stuck.getAsBoolean())
            && state.compareAndSet(State.QUEUED, State.GIVEN_UP)) {
          problem = isOverdue() ? StoreUnavailable.late() : StoreUnavailable.failed();
          break;
        }
      }
      LockSupport.parkNanos(this, look - waited);
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

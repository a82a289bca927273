package dev.safeconduct.ledger;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The writer's bounded queue: many threads add, one thread drains it. It never blocks a caller that
 * adds.
 *
 * <p>A transaction costs as much as the writing of several records. While the callers keep the
 * processors busy, the first of a batch therefore lets the runnable threads go first, which add
 * theirs, and only then wakes the writer. A lone caller wakes it at once.
 */
final class WriteQueue {
  /**
   * How long a writer that finds work waits for the first caller to come back. One that waited
   * before the work came is woken by that caller, or at the end of its wait.
   */
  private static final long MOST_GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private enum State {
    EMPTY,
    GATHERING,
    READY
  }

  private final Queue<WriteRequest> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicReference<State> state = new AtomicReference<>(State.EMPTY);
  private final int capacity;
  private volatile @Nullable Thread sleeper;
  private volatile boolean crowded;

  WriteQueue(int capacity) {
    this.capacity = capacity;
  }

  /** Adds the work; returns false when the queue is full. */
  @SuppressWarnings("ThreadPriorityCheck") // only batches become larger by it
  boolean offer(WriteRequest work) {
    if (size.incrementAndGet() > capacity) {
      size.decrementAndGet();
      return false;
    }
    queue.add(work);
    if (state.compareAndSet(State.EMPTY, State.GATHERING)) {
      if (crowded) {
        Thread.yield();
      }
      wake();
    }
    return true;
  }

  void wake() {
    state.set(State.READY);
    Thread thread = sleeper;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  int size() {
    return size.get();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Returns the tickets of the waiting works, the oldest first. */
  List<? extends PendingWrite<?>> tickets() {
    return queue.stream().map(WriteRequest::ticket).toList();
  }

  /** Moves up to {@code max} works; when the queue is empty, waits for the timeout or a wake-up. */
  void take(List<WriteRequest> into, int max, long waitNanos) {
    if (state.get() != State.READY) {
      sleeper = Thread.currentThread();
      if (state.get() != State.READY) {
        LockSupport.parkNanos(
            this, queue.isEmpty() ? waitNanos : Math.min(waitNanos, MOST_GATHERING_NANOS));
      }
      sleeper = null;
    }
    state.set(State.EMPTY); // before the queue is drained: who adds later wakes the writer
    int taken = 0;
    for (WriteRequest work = queue.poll(); work != null; work = queue.poll()) {
      into.add(work);
      if (++taken == max) {
        state.set(State.READY);
        break;
      }
    }
    crowded = taken > 1;
    size.addAndGet(-taken);
  }
}

package dev.safeconduct.ledger;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The writer's bounded queue: many threads add, one thread drains it. It never blocks a caller that
 * adds.
 */
final class WriteQueue {
  private final Queue<WriteRequest> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final int capacity;
  private volatile @Nullable Thread sleeper;

  WriteQueue(int capacity) {
    this.capacity = capacity;
  }

  /** Adds the work; returns false when the queue is full. */
  boolean offer(WriteRequest work) {
    if (size.incrementAndGet() > capacity) {
      size.decrementAndGet();
      return false;
    }
    queue.add(work);
    wake();
    return true;
  }

  void wake() {
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

  /** Moves up to {@code max} works; when the queue is empty, waits for the timeout or a wake-up. */
  void take(List<WriteRequest> into, int max, long waitNanos) {
    if (queue.isEmpty()) {
      sleeper = Thread.currentThread();
      if (queue.isEmpty()) {
        LockSupport.parkNanos(this, waitNanos);
      }
      sleeper = null;
    }
    int taken = 0;
    for (WriteRequest work = queue.poll(); work != null; work = queue.poll()) {
      into.add(work);
      if (++taken == max) {
        break;
      }
    }
    size.addAndGet(-taken);
  }
}

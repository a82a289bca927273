package dev.safeconduct.store;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The writer's queue: many threads put, one takes all there is. Bounded, and never makes a caller
 * wait.
 */
final class Inbox {
  private final Queue<Work> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final int capacity;
  private volatile @Nullable Thread sleeper;

  Inbox(int capacity) {
    this.capacity = capacity;
  }

  /** False when it is full. */
  boolean offer(Work work) {
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

  /** Moves up to {@code max} works; when there is none, waits at most so long or until woken. */
  void take(List<Work> into, int max, long waitNanos) {
    if (queue.isEmpty()) {
      sleeper = Thread.currentThread();
      if (queue.isEmpty()) {
        LockSupport.parkNanos(this, waitNanos);
      }
      sleeper = null;
    }
    int taken = 0;
    for (Work work = queue.poll(); work != null; work = queue.poll()) {
      into.add(work);
      if (++taken == max) {
        break;
      }
    }
    size.addAndGet(-taken);
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads that commit without pause and note what they were told. */
final class Load implements AutoCloseable {
  final Queue<UUID> acknowledged = new ConcurrentLinkedQueue<>();
  final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
  final AtomicInteger refused = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  Load(Storage store, int callers) {
    for (int i = 0; i < callers; i++) {
      threads.add(Thread.startVirtualThread(() -> run(store)));
    }
  }

  private void run(Storage store) {
    while (!stopping) {
      LedgerEntry entry = Fixtures.entry(Long.MAX_VALUE);
      try {
        if (new Ledger(store).commit(entry) instanceof Commit.Recorded) {
          acknowledged.add(entry.record().id());
        }
      } catch (ProblemException e) {
        if (e.problem() instanceof Problem.Unavailable) {
          refused.incrementAndGet();
          pause();
        } else {
          unexpected.add(e);
        }
      }
    }
  }

  /** Waits until so many more have been acknowledged. */
  void awaitAcknowledged(int more) {
    int goal = acknowledged.size() + more;
    while (acknowledged.size() < goal) {
      pause();
    }
  }

  void awaitRefused() {
    int goal = refused.get() + 1;
    while (refused.get() < goal) {
      pause();
    }
  }

  private static void pause() {
    LockSupport.parkNanos(1_000_000);
  }

  @Override
  public void close() {
    stopping = true;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        pause();
      }
    }
  }
}

package dev.safeconduct.config;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A dedicated thread for background work. It does not keep the process alive. Its owner tells the
 * work to stop and then calls {@link #awaitEnd}.
 */
public final class Background {
  /** A stop must end in time although a database or a disk hangs. */
  private static final Duration ENDING = Duration.ofMillis(500);

  private final Thread thread;

  private Background(Thread thread) {
    this.thread = thread;
  }

  /** Returns a thread that has not started; {@code name} appears in thread dumps. */
  public static Background named(String name, Runnable work) {
    return new Background(Thread.ofPlatform().name(name).daemon().unstarted(work));
  }

  public void start() {
    thread.start();
  }

  /** Ends the current {@link LockSupport#park} of the work, or the next one. */
  public void wake() {
    LockSupport.unpark(thread);
  }

  public boolean isAlive() {
    return thread.isAlive();
  }

  /** As {@link #awaitEnd(Duration)}, half a second at most: what hangs is left behind. */
  public void awaitEnd() {
    boolean _ = awaitEnd(ENDING);
  }

  /**
   * Waits for the thread to end, at most that long, and returns whether it has. Ignores interrupts;
   * an interrupt is restored afterwards.
   */
  public boolean awaitEnd(Duration most) {
    boolean interrupted = false;
    long end = System.nanoTime() + most.toNanos();
    while (thread.isAlive() && System.nanoTime() - end < 0) {
      try {
        boolean _ = thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}

package dev.safeconduct.background;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread of its own for work beside the requests. It keeps no process alive: whoever has it ends
 * it, after telling the work to stop.
 */
public final class Background {
  private final Thread thread;

  private Background(Thread thread) {
    this.thread = thread;
  }

  /** One that has not started; {@code name} stands in thread dumps. */
  public static Background named(String name, Runnable work) {
    return new Background(Thread.ofPlatform().name(name).daemon().unstarted(work));
  }

  public void start() {
    thread.start();
  }

  /** Ends the work's {@link LockSupport#park}, or its next one. */
  public void wake() {
    LockSupport.unpark(thread);
  }

  public boolean isAlive() {
    return thread.isAlive();
  }

  /** Waits for its end without regard to interrupts, which the caller finds noted afterwards. */
  public void awaitEnd() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

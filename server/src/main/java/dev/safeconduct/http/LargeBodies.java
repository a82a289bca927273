package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import java.util.concurrent.atomic.AtomicLong;

/** The memory budget for all in-flight bodies over 1 MiB together, in bytes. */
final class LargeBodies {
  private static final int RETRY_SECONDS = 1;

  private final AtomicLong free;

  LargeBodies(long budget) {
    this.free = new AtomicLong(budget);
  }

  /**
   * Reserves memory.
   *
   * @throws dev.safeconduct.error.ProblemException 503 when there is not enough left
   */
  void reserve(long bytes) {
    if (free.addAndGet(-bytes) < 0) {
      free.addAndGet(bytes);
      throw new Problem.Unavailable(
              "Too many large bodies are being read just now; send this one again in a moment.",
              RETRY_SECONDS)
          .toException();
    }
  }

  void release(long bytes) {
    free.addAndGet(bytes);
  }
}

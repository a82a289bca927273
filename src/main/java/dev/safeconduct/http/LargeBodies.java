package dev.safeconduct.http;

import dev.safeconduct.problem.Problem;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that bodies over 1 MiB may take together while they are in flight, in bytes. */
final class LargeBodies {
  private static final int RETRY_SECONDS = 1;

  private final AtomicLong free;

  LargeBodies(long budget) {
    this.free = new AtomicLong(budget);
  }

  /**
   * @throws dev.safeconduct.problem.ProblemException 503 when there is not so much left
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

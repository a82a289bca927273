package dev.safeconduct.http;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The pause before a rate-limit refusal. Immediate refusals would use all capacity. The pause is
 * random because callers who are refused together would otherwise retry together.
 */
final class RateLimitDelay {
  private static final int LEAST_MS = 100;
  private static final int MOST_MS = 200;

  private RateLimitDelay() {}

  static void pause() {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(LEAST_MS, MOST_MS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

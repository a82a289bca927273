package dev.safeconduct.http;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The pause before a refusal of a rate limit. Refusals at full speed would crowd out all others,
 * and so would refusals that end together: who was refused together comes back together.
 */
final class Hesitation {
  private static final int LEAST_MS = 100;
  private static final int MOST_MS = 200;

  private Hesitation() {}

  static void pause() {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(LEAST_MS, MOST_MS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

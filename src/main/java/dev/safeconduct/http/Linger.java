package dev.safeconduct.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads and throws away what a client still sends after its answer is out. Closing a socket with
 * unread data resets it, and a client that is still writing would then never see the answer (RFC
 * 9112 section 9.6).
 */
final class Linger {
  private static final Duration STEP = Duration.ofMillis(200);
  private static final int STEPS = 25;
  private static final int PATIENCE = 3;

  /** Reads a little; how many bytes, or a negative number at the end. */
  @FunctionalInterface
  interface Source {
    int discard() throws Exception;
  }

  private Linger() {}

  /** Returns when the source ends or fails, when it is silent for 0.6 s, or after 5 s. */
  static void drain(Source source) {
    var total = new AtomicLong();
    Thread reader = Thread.ofVirtual().start(() -> discardAll(source, total));
    long seen = 0;
    int silent = 0;
    try {
      for (int i = 0; i < STEPS && silent < PATIENCE && !reader.join(STEP); i++) {
        silent = total.get() == seen ? silent + 1 : 0;
        seen = total.get();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void discardAll(Source source, AtomicLong total) {
    try {
      for (int count = source.discard(); count >= 0; count = source.discard()) {
        total.addAndGet(count);
      }
    } catch (Exception _) {
      // The connection is at its end either way.
    }
  }
}

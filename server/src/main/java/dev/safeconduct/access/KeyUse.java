package dev.safeconduct.access;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.StoreUnavailable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes the minute in which a key was last used. A request writes nothing: its minute is noted in
 * memory, once a minute for each key, and stored by a thread of its own. The minute before a crash
 * may be lost.
 */
public final class KeyUse implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyUse.class);
  private static final long EVERY_SECONDS = 30;

  /** The most rows of a transaction; more would delay the transactions queued behind it. */
  private static final int MOST_ROWS = 500;

  private final ApiKeys keys;
  private final Map<String, Instant> unsaved = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Background thread = Background.named("key-use", this::work);

  public KeyUse(ApiKeys keys) {
    this.keys = keys;
  }

  public void start() {
    thread.start();
  }

  void note(KeyCache.Known known, Instant now) {
    long minute = now.getEpochSecond() / 60;
    if (known.minute().get() != minute) {
      known.minute().set(minute);
      unsaved.put(known.key().id(), now.truncatedTo(ChronoUnit.MINUTES));
    }
  }

  /** Stores what was noted. What cannot be stored now is kept for the next time. */
  public void save() {
    while (!unsaved.isEmpty()) {
      Map<String, Instant> some =
          unsaved.entrySet().stream()
              .limit(MOST_ROWS)
              .collect(
                  Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (_, later) -> later));
      keys.used(some);
      some.forEach(unsaved::remove);
    }
  }

  private void work() {
    try {
      while (!closed.await(EVERY_SECONDS, TimeUnit.SECONDS)) {
        saveLogged();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    saveLogged();
  }

  private void saveLogged() {
    try {
      save();
    } catch (RuntimeException e) {
      LOG.atLevel(StoreUnavailable.level(e))
          .log("the last use of keys could not be stored: {}", e.getMessage());
    }
  }

  /** Stores what was noted, then ends. */
  @Override
  public void close() {
    closed.countDown();
    thread.awaitEnd();
  }
}

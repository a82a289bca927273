package dev.safeconduct.testkit;

import dev.safeconduct.webhook.delivery.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time in which waiting takes none: a pause is written down and skipped. */
public final class TestTicker implements Ticker {
  private final List<Duration> pauses = new ArrayList<>();
  private long skipped;
  private boolean stopped;
  private Runnable meanwhile = () -> {};

  /** What happens in each pause from now on. */
  public synchronized void onPause(Runnable happens) {
    meanwhile = happens;
  }

  /** All pauses since the last call, in their order. */
  public synchronized List<Duration> pauses() {
    List<Duration> all = List.copyOf(pauses);
    pauses.clear();
    return all;
  }

  @Override
  public synchronized long nanos() {
    return System.nanoTime() + skipped;
  }

  @Override
  public synchronized boolean pause(Duration wait) {
    pauses.add(wait);
    meanwhile.run();
    skipped += wait.toNanos();
    return !stopped;
  }

  @Override
  public synchronized void stop() {
    stopped = true;
  }
}

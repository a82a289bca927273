package dev.safeconduct.client;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Follows the stream of revocations on a thread of its own, from the first use on. Drops all stored
 * allows at each event, and when it received nothing for a second: then a suspension may have been
 * missed.
 */
final class Revocations implements AutoCloseable {
  private static final String PATH = "/api/revocations";
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FIRST_PAUSE_MILLIS = 200;
  private static final long LONGEST_PAUSE_MILLIS = 10_000;
  private static final long LOOK_MILLIS = 50;

  private final Transport transport;
  private final Runnable dropAllows;
  private final AtomicLong epoch = new AtomicLong();
  private @Nullable Thread thread;
  private boolean isClosed;
  private volatile long heardAt;
  private volatile boolean isConnected;

  Revocations(Transport transport, Runnable dropAllows) {
    this.transport = transport;
    this.dropAllows = dropAllows;
  }

  /** Returns a number that grows with each drop. */
  long epoch() {
    return epoch.get();
  }

  /** Returns whether the stream sent something within the last second; starts it if need be. */
  boolean isLive() {
    start();
    return isConnected && System.nanoTime() - heardAt < SILENCE_NANOS;
  }

  private synchronized void start() {
    if (thread == null && !isClosed) {
      thread = new Thread(this::follow, "safeconduct-revocations");
      thread.setDaemon(true);
      thread.start();
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private void follow() {
    long pause = FIRST_PAUSE_MILLIS;
    try {
      while (true) {
        boolean heard = readOne();
        pause = heard ? FIRST_PAUSE_MILLIS : Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
        TimeUnit.MILLISECONDS.sleep(pause);
      }
    } catch (InterruptedException e) {
      drop(); // closed
    }
  }

  /** Reads one stream to its end; returns whether it sent anything. */
  private boolean readOne() throws InterruptedException {
    heardAt = System.nanoTime();
    var reader = new Reader();
    CompletableFuture<HttpResponse<Void>> stream = transport.stream(PATH, reader);
    try {
      while (!stream.isDone() && System.nanoTime() - heardAt < SILENCE_NANOS) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    } finally {
      reader.end();
      stream.cancel(true);
      drop();
    }
    return reader.hasHeard;
  }

  private void drop() {
    epoch.incrementAndGet();
    dropAllows.run();
  }

  /** Reads the lines of one stream. */
  private final class Reader implements Flow.Subscriber<String> {
    private boolean isOver;
    private volatile boolean hasHeard;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      drop();
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(String line) {
      if (isOver) {
        return;
      }
      if (line.startsWith("data:")) {
        drop();
      }
      // Only now are the allows of before the event gone.
      heardAt = System.nanoTime();
      hasHeard = true;
      isConnected = true;
    }

    /** After this no line counts, also none that is just being read. */
    private synchronized void end() {
      isOver = true;
      isConnected = false;
    }

    @Override
    public void onError(Throwable fault) {
      isConnected = false;
    }

    @Override
    public void onComplete() {
      isConnected = false;
    }
  }
}

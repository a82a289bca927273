package dev.safeconduct.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The library's HTTP/1.1 connections with our limits around them: bounded chunks, an end for
 * clients that stop in the middle of a request or of their answer, and a polite close after a
 * refusal.
 */
final class GuardedConnections implements ServerConnectionSelector {
  /** How often {@link #sweep} is to be called. */
  static final Duration SWEEP_EVERY = Duration.ofSeconds(5);

  private static final int STALLED_SWEEPS = 6;
  private static final byte[] NOTHING = {};

  private final ServerConnectionSelector http1;
  private final AtomicInteger tick = new AtomicInteger(1);
  private final Set<Guarded> open = ConcurrentHashMap.newKeySet();

  GuardedConnections(ServerConnectionSelector http1) {
    this.http1 = http1;
  }

  /**
   * Closes connections that have sent nothing for half a minute in the middle of a request, or
   * taken nothing for as long of an answer.
   */
  void sweep() {
    tick.incrementAndGet();
    for (Guarded connection : open) {
      GuardedContext context = connection.context;
      if (context.writer().isStalledFor(STALLED_SWEEPS)) {
        context.writer().abort();
      } else if (!connection.canInterrupt() && context.reader().stalledFor(STALLED_SWEEPS)) {
        close(connection);
      }
    }
  }

  private static void close(Guarded connection) {
    try {
      connection.context.serverSocket().close();
    } catch (UncheckedIOException _) {
      // It was just closed from the other side.
    }
  }

  @Override
  public int bytesToIdentifyConnection() {
    return 0;
  }

  /** All that arrives is taken for HTTP/1.1, so that what is not gets an answer saying so. */
  @Override
  public Support supports(BufferData data) {
    return Support.SUPPORTED;
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return http1.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    return connection(context, NOTHING);
  }

  /** A connection of which some bytes have been read already. */
  ServerConnection connection(ConnectionContext context, byte[] first) {
    var reader = new GuardedReader(context.serverSocket(), first, tick::get);
    var writer = new GuardedWriter(context.dataWriter(), tick::get);
    var guarded = new GuardedContext(context, reader, writer);
    return new Guarded(http1.connection(guarded), guarded);
  }

  private final class Guarded implements ServerConnection, InterruptableTask<Void> {
    private final ServerConnection inner;
    private final GuardedContext context;

    private Guarded(ServerConnection inner, GuardedContext context) {
      this.inner = inner;
      this.context = context;
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
      open.add(this);
      try {
        inner.handle(limit);
      } finally {
        if (context.reader().available() > 0) {
          Linger.drain(this::discard);
        }
        open.remove(this);
      }
    }

    private int discard() {
      GuardedReader reader = context.reader();
      reader.ensureAvailable();
      int count = reader.available();
      reader.skip(count);
      return count;
    }

    @Override
    public Duration idleTime() {
      return inner.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      inner.close(interrupt);
    }

    @Override
    public boolean canInterrupt() {
      return inner instanceof InterruptableTask<?> task && task.canInterrupt();
    }
  }
}

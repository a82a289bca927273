package dev.safeconduct.http.server;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections. It recovers from temporary failures, and reports permanent ones. */
final class ClientConnector extends ServerConnector {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnector.class);
  private static final int BACKLOG = 4096;
  private static final long PAUSE_MILLIS = 200;
  private static final Duration HOLD = Duration.ofMillis(150);
  private static final long LOG_EVERY_NANOS = 60_000_000_000L;

  private final Timeouts timeouts;
  private final Runnable onDeaf;
  private final CountDownLatch accepted = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean draining;
  private volatile boolean closing;
  private volatile boolean stopping;
  private long logged = System.nanoTime() - LOG_EVERY_NANOS; // Used by the one thread that accepts.

  /**
   * Creates the connector.
   *
   * @param onDeaf called when no connection can be accepted or served any more
   */
  ClientConnector(
      Server server, ListenerConfig config, Runnable onDeaf, ConnectionFactory... factories) {
    super(server, 1, 1, factories);
    this.timeouts = config.timeouts();
    this.onDeaf = onDeaf;
    setHost(config.bind());
    setPort(config.port());
    setAcceptQueueSize(BACKLOG);
    setShutdownIdleTimeout(-1); // Running requests may finish; unused connections are closed.
  }

  /** Lets no connection be used for another request. */
  void drain() {
    draining = true;
  }

  static ClientConnector of(Request request) {
    return (ClientConnector) request.getConnectionMetaData().getConnector();
  }

  boolean isDraining() {
    return draining;
  }

  /**
   * Holds answers back while the listening socket is about to be closed. The system resets
   * connections that it has accepted and this process has not. Clients that wait for an answer make
   * no new connections, so there are none then.
   */
  void awaitClosed() {
    try {
      while (closing) {
        boolean _ = closed.await(HOLD.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes connections without a running request. */
  void closeUnused(boolean any) {
    for (EndPoint endPoint : getConnectedEndPoints()) {
      ((ClientEndPoint) endPoint).closeUnused(any);
    }
  }

  /** Closes the listening socket; when it returns, no connection is accepted any more. */
  @Override
  public CompletableFuture<Void> shutdown() {
    try {
      closing = draining;
      if (closing) {
        Thread.sleep(HOLD);
      }
      stopping = true;
      CompletableFuture<Void> done = super.shutdown();
      boolean _ = accepted.await(1, TimeUnit.SECONDS);
      return done;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return super.shutdown();
    } finally {
      closing = false;
      closed.countDown();
    }
  }

  /**
   * Does not interrupt: the closed socket wakes the thread that accepts, and an interrupt would
   * lose a connection that it has just accepted, open and unanswered.
   */
  @Override
  protected void interruptAcceptors() {}

  @Override
  protected ClientEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    return new ClientEndPoint(channel, selector, key, getScheduler(), timeouts);
  }

  @Override
  public void accept(int acceptor) throws IOException {
    try {
      if (isOpen()) {
        super.accept(acceptor);
      } else {
        fail(new IOException("The listening socket is closed"));
      }
    } finally {
      if (stopping) {
        accepted.countDown();
      }
    }
  }

  /** Resumes listening after a failure, for example when a file descriptor is free again. */
  @Override
  protected boolean handleAcceptFailure(Throwable failure) {
    if (stopping || !isRunning()) {
      return false;
    }
    if (!isOpen()) {
      fail(failure);
      return false;
    }
    if (System.nanoTime() - logged >= LOG_EVERY_NANOS) {
      logged = System.nanoTime();
      LOG.warn("Connections cannot be accepted for now: {}", failure.toString());
    }
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  private void fail(Throwable failure) {
    if (!stopping && isRunning()) {
      LOG.error("The server cannot accept connections any more.", failure);
      onDeaf.run();
    }
  }

  @Override
  protected SelectorManager newSelectorManager(
      Executor executor, Scheduler scheduler, int selectors) {
    return new ServerConnectorManager(executor, scheduler, selectors) {
      @Override
      protected ManagedSelector newSelector(int id) {
        return new ManagedSelector(this, id) {
          @Override
          protected void onSelectFailed(Throwable cause) {
            fail(cause);
          }
        };
      }
    };
  }
}

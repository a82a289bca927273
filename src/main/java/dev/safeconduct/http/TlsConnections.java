package dev.safeconduct.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections over TLS: HTTP/2 for clients that ask for it in the handshake (ALPN, RFC 7301),
 * HTTP/1.1 for all others. The library shakes hands when it first reads, so only then it is known.
 */
final class TlsConnections implements ServerConnectionSelector {
  private static final String HTTP_2 = "h2";

  private final GuardedConnections http1;
  private final Http2Connections http2;

  TlsConnections(GuardedConnections http1, Http2Connections http2) {
    this.http1 = http1;
    this.http2 = http2;
  }

  @Override
  public int bytesToIdentifyConnection() {
    return 0;
  }

  @Override
  public Support supports(BufferData data) {
    return Support.SUPPORTED;
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return Set.of(HTTP_2, "http/1.1");
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    return new Undecided(context);
  }

  private final class Undecided implements ServerConnection, InterruptableTask<Void> {
    private final ConnectionContext context;
    private final long since = System.nanoTime();
    private volatile @Nullable ServerConnection decided;
    private volatile @Nullable Thread thread;

    private Undecided(ConnectionContext context) {
      this.context = context;
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
      thread = Thread.currentThread();
      HelidonSocket socket = context.serverSocket();
      byte[] first;
      try {
        first = socket.get();
      } catch (UncheckedIOException _) {
        return; // No handshake came about.
      }
      if (first == null) {
        return;
      }
      ServerConnection connection =
          socket.protocolNegotiated() && socket.protocol().equals(HTTP_2)
              ? http2.connection(context, first)
              : http1.connection(context, first);
      decided = connection;
      connection.handle(limit);
    }

    @Override
    public Duration idleTime() {
      ServerConnection connection = decided;
      return connection == null
          ? Duration.ofNanos(System.nanoTime() - since)
          : connection.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      ServerConnection connection = decided;
      Thread reading = thread;
      if (connection != null) {
        connection.close(interrupt);
      } else if (reading != null) {
        reading.interrupt();
      }
    }

    @Override
    public boolean canInterrupt() {
      ServerConnection connection = decided;
      return connection == null
          || (connection instanceof InterruptableTask<?> task && task.canInterrupt());
    }
  }
}

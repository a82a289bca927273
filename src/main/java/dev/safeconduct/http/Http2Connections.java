package dev.safeconduct.http;

import dev.safeconduct.http2.Http2Connection;
import dev.safeconduct.http2.Http2Stream;
import dev.safeconduct.http2.RequestHead;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Connections of HTTP/2, and the requests on them. */
final class Http2Connections {
  private static final int MAX_PATH = 8 << 10;

  private final Consumer<Call> handler;
  private final DirectAnswers direct;
  private final Set<Http2Connection> open = ConcurrentHashMap.newKeySet();

  Http2Connections(Consumer<Call> handler, DirectAnswers direct) {
    this.handler = handler;
    this.direct = direct;
  }

  /** Ends what has stopped; run every few seconds. */
  void sweep() {
    open.forEach(Http2Connection::sweep);
  }

  /** A connection whose first bytes have been read. */
  ServerConnection connection(ConnectionContext context, byte[] first) {
    return new Served(context, first);
  }

  private void serve(Http2Stream stream, ConnectionContext context) {
    RequestHead head = stream.head();
    try {
      if (!head.complete()) {
        direct.refuse(stream, 431);
      } else if (head.path().length() > MAX_PATH) {
        direct.refuse(stream, 414);
      } else {
        Http2Call call;
        try {
          call = new Http2Call(stream, context.remotePeer());
        } catch (IllegalArgumentException _) {
          direct.refuse(stream, 400);
          return;
        }
        handler.accept(call);
      }
    } catch (CloseConnectionException | IOException _) {
      // The client went away, or took its request back.
    }
  }

  private final class Served implements ServerConnection, InterruptableTask<Void> {
    private final InputStream in;
    private final Http2Connection connection;

    private Served(ConnectionContext context, byte[] first) {
      this.in = new SocketInput(context.serverSocket(), first);
      this.connection =
          new Http2Connection(
              in, new SocketOutput(context.dataWriter()), stream -> serve(stream, context));
    }

    @Override
    public void handle(Limit limit) {
      open.add(connection);
      try {
        if (connection.serve()) {
          byte[] rest = new byte[16 << 10];
          Linger.drain(() -> in.read(rest));
        }
      } catch (IOException e) {
        throw new CloseConnectionException("The connection broke", e);
      } finally {
        open.remove(connection);
      }
    }

    @Override
    public Duration idleTime() {
      return connection.idleTime();
    }

    /** Those that serve nothing end as gracefully as they can; {@code interrupt} leaves no time. */
    @Override
    public void close(boolean interrupt) {
      if (interrupt && connection.idleTime().isZero()) {
        connection.abort();
      } else {
        connection.drain();
      }
    }

    /** It ends by itself, after telling the client. */
    @Override
    public boolean canInterrupt() {
      return false;
    }
  }
}

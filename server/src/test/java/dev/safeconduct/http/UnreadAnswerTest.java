package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawHttp2.Came;
import dev.safeconduct.http.server.Timeouts;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.testkit.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that stop reading in the middle of a long answer keep neither a thread nor a share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class UnreadAnswerTest {
  /** What a client does not read lies in buffers of both sides: a few MiB of it. */
  private static final int MORE_THAN_BUFFERS = 8 << 20;

  /** Long enough that a busy machine does not hold up a reader for it. */
  private static final Duration STALL = Duration.ofSeconds(2);

  /** Longer than a client may stop for, also over HTTP/2 and at the timer's slowest. */
  private static final long LONG_NANOS = STALL.multipliedBy(4).toNanos();

  private static final int BODY = 7 << 20;
  private static final int UNDECLARED_BODY = 7 << 14;
  private static final int INITIAL_WINDOW_SIZE = 4;

  private Path folder;
  private Certificate certificate;

  @BeforeAll
  void certify(@TempDir Path made) throws Exception {
    folder = made;
    certificate = TlsFiles.shown(folder, "one");
  }

  /** How a client speaks, and by what it stops. */
  enum Way {
    PLAIN,
    TLS,
    /** The windows are wide open, and nobody reads the socket. */
    HTTP_2_SOCKET,
    /** Frames are read, and no window is given. */
    HTTP_2_WINDOW
  }

  /** A client in the middle of a long answer. */
  private interface Reader extends AutoCloseable {
    /** Reads on; so much that the server has to have written meanwhile. */
    void read() throws Exception;

    @Override
    void close() throws IOException;
  }

  /** A slow client leaves the processors to the others. */
  private static void readSlowly(Reader reader) throws Exception {
    reader.read();
    LockSupport.parkNanos(STALL.dividedBy(4).toNanos());
  }

  /** Reads in a thread of its own until it is closed. */
  private static final class Reading {
    private final AtomicBoolean isOn = new AtomicBoolean(true);
    private final FutureTask<Boolean> task;

    Reading(Reader reader) {
      task =
          new FutureTask<>(() -> {
            while (isOn.get()) {
              readSlowly(reader);
            }
            return true;
          });
      Thread.ofPlatform().daemon().start(task);
    }

    void stop() throws InterruptedException, ExecutionException {
      isOn.set(false);
      assertThat(task.get()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aThreadAndAShareAreFreedOfAClientThatStopsAndNotOfASlowOne(Way way) throws Exception {
    var ended = new CountDownLatch(1);
    Route endless =
        Route.post("/endless", Permission.scope(Scope.READ), _ -> endless(ended)).large();
    Route verify =
        Route.post("/verify", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
            .large();
    var settings = new HashMap<>(Map.of("MAX_LARGE_BODIES_BYTES", "12582912"));
    if (way != Way.PLAIN) {
      settings.putAll(TlsFiles.settings(folder));
    }
    Duration any = Duration.ofSeconds(60);
    var timeouts = new Timeouts(any, any, STALL, any, STALL);
    try (var server = new TestServer(settings, timeouts, endless, verify);
        Reader reader = reader(way, server.server().port())) {
      long started = System.nanoTime();
      while (System.nanoTime() - started < LONG_NANOS) {
        readSlowly(reader);
      }
      assertThat(ended.getCount()).as("a slow client is served").isOne();
      // It reads on meanwhile: on a busy machine, the other request takes longer than a client may
      // stop.
      var reading = new Reading(reader);
      assertThat(another(way, server)).as("its room is taken").isEqualTo(503);
      reading.stop();
      assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
      int status = 503;
      for (int tries = 0; status == 503 && tries < 2_000; tries++) {
        status = another(way, server);
      }
      assertThat(status).isEqualTo(200);
    }
  }

  private static Response endless(CountDownLatch ended) {
    byte[] part = new byte[16 << 10];
    return Response.stream(
        200,
        "text/plain",
        out -> {
          try {
            while (ended.getCount() > 0) {
              out.write(part);
            }
          } finally {
            ended.countDown();
          }
        });
  }

  /** The status of another large request. */
  private int another(Way way, TestServer server) throws Exception {
    if (way == Way.PLAIN) {
      String body = "{}" + " ".repeat(BODY);
      return server.post("/verify", TestServer.READER + TestServer.JSON, body).status();
    }
    try (var connection = new RawHttp2(server.server().port(), certificate)) {
      connection.request(1, false, "POST", "/verify");
      return large(connection).answer(1).status();
    }
  }

  /** A body whose length is not declared takes as much room as it might. */
  private static RawHttp2 large(RawHttp2 connection) throws IOException {
    connection.data(1, "{}", false);
    String blanks = " ".repeat(16 << 10);
    for (int sent = 0; sent < UNDECLARED_BODY; sent += blanks.length()) {
      connection.data(1, blanks, sent + blanks.length() == UNDECLARED_BODY);
    }
    return connection;
  }

  private Reader reader(Way way, int port) throws Exception {
    return switch (way) {
      case PLAIN -> new Http1(plain(port));
      case TLS -> new Http1(overTls(port));
      case HTTP_2_SOCKET -> new Http2(new RawHttp2(port, certificate), true);
      case HTTP_2_WINDOW -> new Http2(new RawHttp2(port, certificate), false);
    };
  }

  private static Socket plain(int port) throws IOException {
    var socket = new Socket();
    socket.setReceiveBufferSize(64 << 10);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(20_000);
    return socket;
  }

  private Socket overTls(int port) throws Exception {
    var socket =
        (SSLSocket)
            TlsFiles.trusting(certificate)
                .getSocketFactory()
                .createSocket(plain(port), "localhost", port, true);
    socket.startHandshake();
    return socket;
  }

  private record Http1(Socket socket) implements Reader {
    Http1 {
      String headers = TestServer.READER + TestServer.JSON;
      String request = TestServer.request("POST /endless", headers, "{}" + " ".repeat(BODY));
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void read() throws IOException {
      InputStream in = socket.getInputStream();
      byte[] some = new byte[64 << 10];
      for (int read = 0; read < MORE_THAN_BUFFERS; ) {
        int count = in.read(some);
        assertThat(count).isPositive();
        read += count;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private record Http2(RawHttp2 connection, boolean open) implements Reader {
    private static final int ALL = Integer.MAX_VALUE - (1 << 16);

    Http2 {
      try {
        if (open) {
          connection.settings(INITIAL_WINDOW_SIZE, ALL).number(RawHttp2.WINDOW_UPDATE, 0, ALL);
        }
        large(connection.request(1, false, "POST", "/endless"));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void read() throws IOException {
      for (int read = 0; read < (open ? MORE_THAN_BUFFERS : 1 << 15); ) {
        Came part = connection.await(RawHttp2.DATA, 1);
        read += part.length();
        if (!open) {
          connection
              .number(RawHttp2.WINDOW_UPDATE, 0, part.length())
              .number(RawHttp2.WINDOW_UPDATE, 1, part.length());
        }
      }
    }

    @Override
    public void close() throws IOException {
      if (!open) { // Only its request was ended, not the connection.
        connection.number(RawHttp2.WINDOW_UPDATE, 0, 1 << 20);
        assertThat(connection.await(RawHttp2.RST_STREAM, 1).code()).isEqualTo(8);
        connection.request(3, true, "GET", "/healthz");
        connection.await(RawHttp2.HEADERS, 3);
      }
      connection.close();
    }
  }
}

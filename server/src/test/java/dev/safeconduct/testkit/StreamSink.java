package dev.safeconduct.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;

/** Receivers of the audit stream on the loopback address, and what they have received. */
public abstract sealed class StreamSink implements AutoCloseable {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private final List<String> received = new ArrayList<>();

  /** What has been received, in order; HTTP bodies by line, syslog by message. */
  public List<String> received() {
    synchronized (received) {
      return List.copyOf(received);
    }
  }

  final void add(List<String> lines) {
    synchronized (received) {
      received.addAll(lines);
      received.notifyAll();
    }
  }

  /** Waits until what has been received is as wanted, and returns it. */
  public List<String> await(Predicate<List<String>> wanted) {
    long deadline = System.nanoTime() + PATIENCE;
    synchronized (received) {
      while (!wanted.test(received)) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError("not received; " + received.size() + " lines: " + received);
        }
        try {
          received.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new AssertionError(e);
        }
      }
      return List.copyOf(received);
    }
  }

  @Override
  public abstract void close();

  /** A request as it arrived. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Post(String path, Map<String, String> headers, byte[] body) {
    public List<String> lines() {
      return new String(body, UTF_8).lines().toList();
    }
  }

  /**
   * An answer; the lines of the request count as received if it is a 2xx.
   *
   * @param body of the answer
   * @param headers of the answer
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Answer(int status, byte[] body, Map<String, String> headers) {
    public Answer {
      headers = Map.copyOf(headers);
    }

    public Answer(int status, byte[] body) {
      this(status, body, Map.of());
    }

    public Answer(int status, String body) {
      this(status, body.getBytes(UTF_8));
    }
  }

  /** A receiver of HTTP. */
  public static final class Http extends StreamSink {
    private final HttpServer server;
    private volatile Function<Post, Answer> script;

    private Http(HttpServer server, Function<Post, Answer> script) {
      this.server = server;
      this.script = script;
    }

    public static Http start(Function<Post, Answer> script) {
      try {
        var sink =
            new Http(
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50),
                script);
        sink.server.createContext("/", sink::take);
        sink.server.start();
        return sink;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    public void script(Function<Post, Answer> next) {
      script = next;
    }

    public String address() {
      return "127.0.0.1:" + server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
      try (exchange) {
        Map<String, String> headers = new ConcurrentHashMap<>();
        exchange.getRequestHeaders().forEach((name, all) -> headers.put(name, all.getFirst()));
        InputStream body = exchange.getRequestBody();
        if ("gzip".equals(headers.get("Content-encoding"))) {
          body = new GZIPInputStream(body);
        }
        var post = new Post(exchange.getRequestURI().toString(), headers, body.readAllBytes());
        Answer answer = script.apply(post);
        if (answer.status() / 100 == 2) {
          add(post.lines());
        }
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        int length = answer.body().length;
        exchange.sendResponseHeaders(answer.status(), length == 0 ? -1 : length);
        exchange.getResponseBody().write(answer.body());
      }
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  /** A receiver of syslog with octet counting. */
  public static final class Syslog extends StreamSink {
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Whether messages are read and then lost, as in the memory of a process that is killed. */
    private volatile boolean forgetful;

    /** Whether nothing is read, as by a process that is stopped. */
    private volatile boolean stalled;

    private Syslog(ServerSocket server) {
      this.server = server;
    }

    public static Syslog start(ServerSocket server) {
      var sink = new Syslog(server);
      Thread.ofPlatform().daemon().start(sink::accept);
      return sink;
    }

    public int port() {
      return server.getLocalPort();
    }

    public void forgetful(boolean is) {
      forgetful = is;
    }

    public synchronized void stalled(boolean is) {
      stalled = is;
      notifyAll();
    }

    /**
     * Ends all connections, as the kernel does when the process is killed: also those that wait to
     * be accepted. They are accepted in order, so one more shows when all of them were.
     */
    public void kill() {
      if (server.isClosed()) {
        closeAll();
        return;
      }
      try (var last = new Socket(server.getInetAddress(), server.getLocalPort())) {
        awaitAccepted(last.getLocalPort());
        closeAll();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private synchronized void awaitAccepted(int port) {
      try {
        while (open.stream().noneMatch(socket -> socket.getPort() == port)) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private synchronized void accepted(Socket socket) {
      open.add(socket);
      notifyAll();
    }

    private void closeAll() {
      for (Socket socket : open) {
        close(socket);
      }
    }

    private void accept() {
      while (!server.isClosed()) {
        try {
          Socket socket = server.accept();
          accepted(socket);
          Thread.ofPlatform().daemon().start(() -> read(socket));
        } catch (IOException _) {
          return;
        }
      }
    }

    private void read(Socket socket) {
      try (var in = new BufferedInputStream(socket.getInputStream())) {
        while (true) {
          int length = 0;
          int next = in.read();
          for (; next >= '0' && next <= '9'; next = in.read()) {
            length = 10 * length + next - '0';
          }
          if (next < 0) {
            break;
          }
          awaitReading();
          String message = new String(in.readNBytes(length), US_ASCII);
          if (!forgetful && message.length() == length) {
            add(List.of(message));
          }
        }
      } catch (IOException _) {
        // The sender has gone, does not trust this receiver, or kill() was called.
      } finally {
        close(socket);
      }
    }

    private synchronized void awaitReading() {
      try {
        while (stalled) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void close(Socket socket) {
      open.remove(socket);
      try {
        socket.close();
      } catch (IOException _) {
        // It is closed then.
      }
    }

    @Override
    public void close() {
      try {
        server.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      kill();
      stalled(false);
    }
  }
}

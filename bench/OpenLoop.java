import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Sends requests at a constant rate, however long the answers take. A latency counts from the time at
 * which the request was due, so that requests that wait for a slow answer count too (no coordinated
 * omission). A request takes the connection of 64 that has been idle longest, or waits for one. Arguments: port,
 * requests a second, seconds, a file with lines "path TAB body", API key. The first three seconds are
 * not counted. Prints milliseconds: p50 p99 p99.9 longest; then how late the sender itself was at most,
 * how many requests were counted and how many of all failed.
 */
final class OpenLoop {
  private static final int CONNECTIONS = 64;
  private static final int UNCOUNTED_SECONDS = 3;
  private static final long PATIENCE = 30_000_000_000L;
  private static final long NO_REQUEST = -1;

  private final Histogram latencies = new Histogram(60_000_000_000L, 3);
  private final ArrayDeque<Connection> idle = new ArrayDeque<>();
  private final ByteBuffer[] requests;
  private final long begin;
  private final long interval;
  private final long count;
  private long waiting; // the first request that waits for a connection
  private long sent; // the first request that is not due yet
  private long answered;
  private long failed;

  private final class Connection {
    final SocketChannel channel;
    final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 16);
    long due;

    Connection(int port) throws IOException {
      channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
    }

    void send(long number) throws IOException {
      due = begin + number * interval;
      ByteBuffer request = requests[(int) (number % requests.length)].duplicate();
      while (request.hasRemaining()) {
        channel.write(request);
      }
    }

    /** The status of the answer when all of it is there, else 0. */
    int status() throws IOException {
      if (channel.read(answer) < 0) {
        throw new IOException("the service closed a connection");
      }
      int end = headersEnd();
      if (end < 0 || answer.position() < end + contentLength(end)) {
        return 0;
      }
      int status = number("HTTP/1.1 ".length());
      answer.clear();
      return status;
    }

    private int headersEnd() {
      for (int i = 3; i < answer.position(); i++) {
        if (answer.get(i) == '\n' && answer.get(i - 2) == '\n') {
          return i + 1;
        }
      }
      return -1;
    }

    private int contentLength(int end) throws IOException {
      byte[] name = NAME;
      for (int i = 0; i < end - name.length; i++) {
        int matched = 0;
        while (matched < name.length && (answer.get(i + matched) | 0x20) == (name[matched] | 0x20)) {
          matched++;
        }
        if (matched == name.length) {
          return number(i + matched);
        }
      }
      throw new IOException("an answer without Content-Length");
    }

    private int number(int at) {
      int value = 0;
      for (int i = at; answer.get(i) >= '0' && answer.get(i) <= '9'; i++) {
        value = value * 10 + answer.get(i) - '0';
      }
      return value;
    }
  }

  private static final byte[] NAME = "\ncontent-length: ".getBytes(ISO_8859_1);

  private OpenLoop(List<String> lines, String key, int rate, int seconds) {
    requests =
        lines.stream().map(line -> request(line, key)).map(ByteBuffer::wrap).toArray(ByteBuffer[]::new);
    interval = 1_000_000_000L / rate;
    count = (long) rate * (seconds + UNCOUNTED_SECONDS);
    begin = System.nanoTime() + 100_000_000;
  }

  private static byte[] request(String line, String key) {
    int tab = line.indexOf('\t');
    byte[] body = line.substring(tab + 1).getBytes(UTF_8);
    String head =
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(line.substring(0, tab), key, body.length);
    byte[] first = head.getBytes(ISO_8859_1);
    return ByteBuffer.allocate(first.length + body.length).put(first).put(body).array();
  }

  public static void main(String[] args) throws Exception {
    List<String> lines = Files.readAllLines(Path.of(args[3]));
    new OpenLoop(lines, args[4], Integer.parseInt(args[1]), Integer.parseInt(args[2]))
        .run(Integer.parseInt(args[0]));
  }

  private void run(int port) throws Exception {
    Selector selector = Selector.open();
    for (int i = 0; i < CONNECTIONS; i++) {
      var connection = new Connection(port);
      connection.channel.register(selector, SelectionKey.OP_READ, connection);
      idle.addLast(connection);
    }
    Thread reader = Thread.ofPlatform().daemon().start(() -> read(selector));
    long latest = 0;
    for (long number = 0; number < count && reader.isAlive(); number++) {
      long due = begin + number * interval;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      if (number * interval >= UNCOUNTED_SECONDS * 1_000_000_000L) {
        latest = Math.max(latest, System.nanoTime() - due);
      }
      send(number);
    }
    long end = System.nanoTime() + PATIENCE;
    while (reader.isAlive() && left() && System.nanoTime() < end) {
      Thread.sleep(5);
    }
    synchronized (this) {
      System.out.printf(
          Locale.ROOT,
          "%.2f %.2f %.2f %.1f %.1f %d %d%n",
          latencies.getValueAtPercentile(50) / 1e6,
          latencies.getValueAtPercentile(99) / 1e6,
          latencies.getValueAtPercentile(99.9) / 1e6,
          latencies.getMaxValue() / 1e6,
          latest / 1e6,
          latencies.getTotalCount(),
          failed + count - answered);
    }
  }

  private synchronized boolean left() {
    return answered < count;
  }

  private synchronized void send(long number) throws IOException {
    sent = number + 1;
    if (waiting == number && !idle.isEmpty()) {
      waiting++;
      idle.removeFirst().send(number);
    }
  }

  /** The next request that waits for a connection, or none. */
  private synchronized long next(Connection connection, int status) {
    long latency = System.nanoTime() - connection.due;
    answered++;
    failed += status == 200 ? 0 : 1;
    if (connection.due - begin >= UNCOUNTED_SECONDS * 1_000_000_000L) {
      latencies.recordValue(Math.min(latency, latencies.getHighestTrackableValue()));
    }
    if (waiting < sent) {
      return waiting++;
    }
    idle.addLast(connection);
    return NO_REQUEST;
  }

  private void read(Selector selector) {
    try {
      while (true) {
        selector.select(
            key -> {
              try {
                var connection = (Connection) key.attachment();
                int status = connection.status();
                if (status != 0) {
                  long number = next(connection, status);
                  if (number != NO_REQUEST) {
                    connection.send(number);
                  }
                }
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      System.err.println(e.getMessage());
    }
  }
}

package dev.safeconduct.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLSocket;

/** A webhook's receiver on a free port of the loopback address that answers as it is told to. */
public final class ScriptedReceiver implements AutoCloseable {
  /** A request as it came over the wire; header names are in lower case. */
  @SuppressWarnings("ArrayRecordComponent") // read, never compared
  public record Received(String requestLine, Map<String, String> headers, byte[] body) {
    public String header(String name) {
      return Optional.ofNullable(headers.get(name))
          .orElseThrow(() -> new AssertionError("no header " + name + " in " + headers));
    }
  }

  /** What it does with a connection; the number counts them from 1. */
  @FunctionalInterface
  public interface Script {
    void meet(Connection connection, int number) throws IOException, InterruptedException;
  }

  private final ServerSocket server;
  private final Script script;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final List<String> serverNames = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  private ScriptedReceiver(ServerSocket server, Script script) {
    this.server = server;
    this.script = script;
  }

  /** Listens; each connection has a thread of its own. */
  public static ScriptedReceiver start(Script script) {
    try {
      return start(new ServerSocket(0, 1000, InetAddress.getLoopbackAddress()), script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Serves this socket, which may speak TLS. */
  public static ScriptedReceiver start(ServerSocket server, Script script) {
    var receiver = new ScriptedReceiver(server, script);
    Thread.ofVirtual().name("receiver").start(receiver::accept);
    return receiver;
  }

  /** Reads each request and answers it with these bytes, the last ones again and again. */
  public static ScriptedReceiver answering(String... answers) {
    return start((connection, number) -> {
      connection.request();
      connection.send(answers[Math.min(number, answers.length) - 1]);
    });
  }

  public int port() {
    return server.getLocalPort();
  }

  public String url() {
    return "http://127.0.0.1:" + port() + "/hook";
  }

  /** The requests that came whole, in their order. */
  public List<Received> received() {
    return List.copyOf(received);
  }

  /** The names that TLS clients asked for (RFC 6066 section 3). */
  public List<String> serverNames() {
    return List.copyOf(serverNames);
  }

  /** How many connections there were. */
  public int connections() {
    return sockets.size();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        sockets.add(socket);
        int number = sockets.size();
        Thread.ofVirtual().start(() -> meet(socket, number));
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void meet(Socket socket, int number) {
    try (socket) {
      script.meet(new Connection(socket), number);
    } catch (IOException _) {
      // The other side may leave at any time.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the header fields that follow the first line, with names in lower case. */
  public static Map<String, String> headers(String[] lines) {
    var headers = new TreeMap<String, String>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      headers.merge(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
          lines[i].substring(colon + 1).strip(),
          (a, b) -> a + ", " + b);
    }
    return headers;
  }

  /** One connection. */
  public final class Connection {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private Connection(Socket socket) throws IOException {
      this.socket = socket;
      this.in = socket.getInputStream();
      this.out = socket.getOutputStream();
    }

    /** Reads one request to its end. */
    public Received request() throws IOException {
      String[] lines = head().split("\r\n", -1);
      Map<String, String> headers = headers(lines);
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      var request = new Received(lines[0], headers, in.readNBytes(length));
      received.add(request);
      if (socket instanceof SSLSocket secured
          && secured.getSession() instanceof ExtendedSSLSession session) {
        for (SNIServerName name : session.getRequestedServerNames()) {
          serverNames.add(new String(name.getEncoded(), ISO_8859_1));
        }
      }
      return request;
    }

    public void send(String bytes) throws IOException {
      out.write(bytes.getBytes(ISO_8859_1));
      out.flush();
    }

    /** Sends the text once more after each moment, until the other side has had enough. */
    public void trickle(String bytes) throws IOException, InterruptedException {
      while (!closed.await(5, TimeUnit.MILLISECONDS)) {
        send(bytes);
      }
    }

    /** Sends the text again and again as fast as it is taken; answers how many bytes that were. */
    public long flood(String bytes) {
      long sent = 0;
      try {
        while (true) {
          send(bytes);
          sent += bytes.length();
        }
      } catch (IOException _) {
        return sent;
      }
    }

    /** Says nothing, and keeps the connection until the receiver is closed. */
    public void hang() throws InterruptedException {
      closed.await();
    }

    /** Ends the connection with a reset (TCP RST). */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    private String head() throws IOException {
      var head = new ByteArrayOutputStream();
      int matched = 0;
      while (matched < 4) {
        int b = in.read();
        if (b < 0) {
          throw new EOFException("the connection ended in the head");
        }
        head.write(b);
        matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
      }
      String text = head.toString(ISO_8859_1);
      return text.substring(0, text.length() - 4);
    }
  }

  /** Ends everything that is going on. */
  @Override
  public void close() {
    closed.countDown();
    var all = new ArrayList<AutoCloseable>(sockets);
    all.add(server);
    for (AutoCloseable each : all) {
      try {
        each.close();
      } catch (Exception _) {
        // it is over anyway
      }
    }
  }
}

package dev.safeconduct.http;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.ScriptedReceiver;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A socket to the server that sends exactly the bytes it is given. */
final class RawConnection implements AutoCloseable {
  /** An answer as it came over the wire. */
  record Answer(int status, Map<String, String> headers, String text) {
    Optional<String> header(String name) {
      return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }

    JsonObject json() {
      try {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
      } catch (JsonFault e) {
        throw new AssertionError(e.getMessage() + ": " + text, e);
      }
    }
  }

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  RawConnection send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawConnection send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  /** Sends nothing more; answers can still be read. */
  RawConnection finish() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Reads one answer; {@code head} answers have no body whatever their length says. */
  Answer answer(boolean head) throws IOException {
    String[] lines = readHead().split("\r\n", -1);
    Map<String, String> headers = ScriptedReceiver.headers(lines);
    int status = Integer.parseInt(lines[0].substring(9, 12));
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = head || status == 304 ? new byte[0] : in.readNBytes(length);
    return new Answer(status, headers, new String(body, StandardCharsets.UTF_8));
  }

  Answer answer() throws IOException {
    return answer(false);
  }

  /** Whether the server has ended the connection. */
  boolean isAtEnd() throws IOException {
    return in.read() < 0;
  }

  /** Sends a byte each time so much has passed without one; whether the server then has enough. */
  boolean drip(Duration every, Duration most) throws IOException {
    long started = System.nanoTime();
    socket.setSoTimeout((int) every.toMillis());
    while (System.nanoTime() - started < most.toNanos()) {
      try {
        return in.read() < 0;
      } catch (SocketTimeoutException _) {
        try {
          send("x");
        } catch (SocketException _) {
          return true;
        }
      } catch (SocketException _) {
        return true;
      }
    }
    return false;
  }

  String rest() throws IOException {
    socket.setSoTimeout(20_000);
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private String readHead() throws IOException {
    var head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException("the connection ended in the head: " + head);
      }
      head.write(b);
      matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
    }
    String text = head.toString(StandardCharsets.ISO_8859_1);
    return text.substring(0, text.length() - 4);
  }
}

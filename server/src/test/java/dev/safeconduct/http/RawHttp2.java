package dev.safeconduct.http;

import dev.safeconduct.testkit.TlsFiles;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;

/** A client of HTTP/2 that sends exactly the frames it is told to, and minds no rule. */
final class RawHttp2 implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  private static final byte[] NOTHING = {};

  /** A header of an answer. */
  record Header(String name, String value) {}

  /** An answer, put together of its frames. */
  record Answer(int status, String text) {}

  /** A frame that came. */
  static final class Came {
    private final int type;
    private final int flags;
    private final int stream;
    private final byte[] payload;

    private Came(int type, int flags, int stream, byte[] payload) {
      this.type = type;
      this.flags = flags;
      this.stream = stream;
      this.payload = payload;
    }

    boolean is(int kind) {
      return type == kind;
    }

    boolean isEnd() {
      return (flags & END_STREAM) != 0;
    }

    int stream() {
      return stream;
    }

    int length() {
      return payload.length;
    }

    /** The error code of a frame that ends something. */
    int code() {
      return ByteBuffer.wrap(payload).getInt(type == GOAWAY ? 4 : 0);
    }

    String text() {
      return new String(payload, StandardCharsets.UTF_8);
    }

    int lastStream() {
      return ByteBuffer.wrap(payload).getInt(0);
    }

    @Override
    public String toString() {
      return "frame " + type + " flags " + flags + " stream " + stream + " of " + payload.length;
    }
  }

  private final SSLSocket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private boolean ended;
  private final HpackDecoder decoder = new HpackDecoder(64 << 10, System::nanoTime);

  /** Connects and says what every client says first. */
  RawHttp2(int port, Certificate trusted) throws Exception {
    this(port, trusted, true);
  }

  RawHttp2(int port, Certificate trusted, boolean greeting) throws Exception {
    socket =
        (SSLSocket) TlsFiles.trusting(trusted).getSocketFactory().createSocket("localhost", port);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(20_000);
    socket.startHandshake();
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
    if (greeting) {
      send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      frame(SETTINGS, 0, 0, NOTHING);
    }
  }

  RawHttp2 send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  RawHttp2 frame(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) (payload.length >>> 16)).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    return send(frame.array());
  }

  RawHttp2 number(int type, int stream, int value) throws IOException {
    return frame(type, 0, stream, ByteBuffer.allocate(4).putInt(value).array());
  }

  /** Settings, identifiers and values in turn. */
  RawHttp2 settings(int... pairs) throws IOException {
    ByteBuffer payload = ByteBuffer.allocate(pairs.length * 3);
    for (int i = 0; i < pairs.length; i += 2) {
      payload.putShort((short) pairs[i]).putInt(pairs[i + 1]);
    }
    return frame(SETTINGS, 0, 0, payload.array());
  }

  /** A request by the reader; names and values of further fields in turn. */
  RawHttp2 request(int stream, boolean end, String method, String path, String... more)
      throws IOException {
    var fields =
        new ArrayList<>(
            List.of(
                ":method",
                method,
                ":scheme",
                "https",
                ":path",
                path,
                ":authority",
                "localhost",
                "x-api-key",
                "reader",
                "content-type",
                "application/json"));
    fields.addAll(List.of(more));
    int flags = END_HEADERS | (end ? END_STREAM : 0);
    return frame(HEADERS, flags, stream, block(fields.toArray(String[]::new)));
  }

  RawHttp2 get(int stream, String path, String... more) throws IOException {
    return request(stream, true, "GET", path, more);
  }

  RawHttp2 data(int stream, String text, boolean end) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return frame(DATA, end ? END_STREAM : 0, stream, bytes);
  }

  /** Fields as HPACK literals that no table takes (RFC 7541 section 6.2.2). */
  static byte[] block(String... pairs) {
    var block = new ByteArrayOutputStream();
    for (int i = 0; i < pairs.length; i += 2) {
      block.write(0);
      text(block, pairs[i]);
      text(block, pairs[i + 1]);
    }
    return block.toByteArray();
  }

  static void text(ByteArrayOutputStream block, String text) {
    int length = text.length();
    if (length < 127) {
      block.write(length);
    } else {
      block.write(127);
      int rest = length - 127;
      for (; rest >= 128; rest >>>= 7) {
        block.write((rest & 0x7f) | 0x80);
      }
      block.write(rest);
    }
    block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  Came next() throws IOException {
    int head = in.readInt();
    int flags = in.readUnsignedByte();
    int stream = in.readInt();
    return new Came(head & 0xff, flags, stream, in.readNBytes(head >>> 8));
  }

  /** The next frame of that kind and stream; all others are passed over. */
  Came await(int type, int stream) throws IOException {
    while (true) {
      Came frame = next();
      if (frame.type == type && frame.stream == stream) {
        return frame;
      }
      if (frame.type == GOAWAY || (frame.type == RST_STREAM && frame.stream == stream)) {
        throw new EOFException(frame + " code " + frame.code());
      }
    }
  }

  /** The answer of one stream; frames of others are passed over. */
  Answer answer(int stream) throws Exception {
    List<Header> head = fields(await(HEADERS, stream));
    while (head.getFirst().value().equals("100")) {
      head = fields(await(HEADERS, stream));
    }
    var headers = new TreeMap<String, String>();
    head.forEach(field -> headers.merge(field.name(), field.value(), (a, b) -> a + ", " + b));
    var body = new ByteArrayOutputStream();
    while (!ended) {
      Came frame = await(DATA, stream);
      body.writeBytes(frame.payload);
      ended = frame.isEnd();
    }
    ended = false;
    int status = Integer.parseInt(headers.get(":status"));
    return new Answer(status, body.toString(StandardCharsets.UTF_8));
  }

  /** The status of an answer that has no body. */
  int empty(int stream) throws Exception {
    Answer answer = answer(stream);
    return answer.text().isEmpty() ? answer.status() : -1;
  }

  String status(Came head) throws Exception {
    return fields(head).getFirst().value();
  }

  List<Header> fields(Came frame) throws Exception {
    ended = frame.isEnd();
    MetaData head = decoder.decode(ByteBuffer.wrap(frame.payload));
    var fields = new ArrayList<Header>();
    fields.add(new Header(":status", Integer.toString(((MetaData.Response) head).getStatus())));
    for (HttpField field : head.getHttpFields()) {
      fields.add(new Header(field.getLowerCaseName(), String.valueOf(field.getValue())));
    }
    return fields;
  }

  /** Passes over everything until the server has ended the connection. */
  boolean isEnded() throws IOException {
    try {
      while (true) {
        next();
      }
    } catch (EOFException | java.net.SocketException _) {
      return true;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException _) {
      // The server has ended the connection, so TLS's last message finds nobody.
    }
  }
}

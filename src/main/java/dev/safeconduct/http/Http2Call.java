package dev.safeconduct.http;

import dev.safeconduct.http2.Field;
import dev.safeconduct.http2.Http2Stream;
import dev.safeconduct.http2.RequestHead;
import io.helidon.common.socket.PeerInfo;
import io.helidon.http.DateTime;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.CloseConnectionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A request of HTTP/2: one stream of its connection. */
final class Http2Call implements Call {
  /** A connection's requests are cheap for a client: their bodies count sooner than elsewhere. */
  private static final int FREE_BODY_BYTES = 64 << 10;

  private static final byte[] NOTHING = {};
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;

  /** RFC 9113 section 8.2.2. */
  private static final Set<String> OF_A_CONNECTION =
      Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

  private final Http2Stream stream;
  private final PeerInfo peer;
  private final HttpPrologue prologue;
  private final WritableHeaders<?> headers = WritableHeaders.create();
  private final ServerResponseHeaders answer = ServerResponseHeaders.create();

  /**
   * @throws IllegalArgumentException for a path that is none
   */
  Http2Call(Http2Stream stream, PeerInfo peer) {
    this.stream = stream;
    this.peer = peer;
    RequestHead head = stream.head();
    this.prologue =
        HttpPrologue.create(
            "HTTP/2.0", "HTTP", "2.0", Method.create(head.method()), head.path(), false);
    headers.add(HeaderValues.create(HeaderNames.HOST, head.authority()));
    for (Field field : head.fields()) {
      HeaderName name = HeaderNames.create(field.name());
      headers.add(HeaderValues.create(name, field.value()));
    }
  }

  @Override
  public String method() {
    return stream.head().method();
  }

  @Override
  public String path() {
    return prologue.uriPath().rawPath();
  }

  @Override
  public String query() {
    return prologue.hasQuery() ? prologue.query().rawValue() : "";
  }

  @Override
  public Headers headers() {
    return headers;
  }

  @Override
  public SocketAddress peer() {
    return peer.address();
  }

  @Override
  public String peerName() {
    return peer.host();
  }

  @Override
  public boolean hasBody() {
    return stream.hasBody();
  }

  @Override
  public InputStream body() {
    return stream.body();
  }

  @Override
  public int freeBodyBytes() {
    return FREE_BODY_BYTES;
  }

  @Override
  public boolean inTurn() {
    return false;
  }

  @Override
  public ServerResponseHeaders answerHeaders() {
    return answer;
  }

  @Override
  public void send(int status) {
    answer(status, NOTHING);
  }

  @Override
  public void send(int status, byte[] body) {
    if (status != NO_CONTENT && status != NOT_MODIFIED) {
      answer.contentLength(body.length);
    }
    answer(status, body);
  }

  private void answer(int status, byte[] body) {
    try {
      stream.answer(fields(status, answer), body);
    } catch (IOException e) {
      throw new CloseConnectionException("The client went away while it was answered", e);
    }
  }

  @Override
  public OutputStream stream(int status) {
    try {
      stream.begin(fields(status, answer));
    } catch (IOException e) {
      throw new CloseConnectionException("The client went away while it was answered", e);
    }
    return new Http2Output(stream);
  }

  @Override
  public void streamed() {
    // The stream's end went out with its last bytes.
  }

  /** An answer's head: no field of it is about a connection. */
  static List<Field> fields(int status, Headers headers) {
    var fields = new ArrayList<Field>();
    fields.add(new Field(":status", Integer.toString(status)));
    fields.add(new Field("date", DateTime.rfc1123String()));
    for (Header header : headers) {
      String name = header.headerName().lowerCase();
      if (!OF_A_CONNECTION.contains(name)) {
        for (String value : header.allValues()) {
          fields.add(new Field(name, value));
        }
      }
    }
    return fields;
  }
}

package dev.safeconduct.http.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/** One request and its response, for any version of HTTP; for its thread only. */
public final class Call implements RequestHeaders, ResponseHeaders {
  /** An unread body up to this length is read to reuse the connection; more would cost too much. */
  private static final int SKIPPED_BYTES = 1 << 20;

  /** The limit without a reservation over HTTP/2, where many requests are cheap for a client. */
  private static final int FREE_HTTP_2_BYTES = 64 << 10;

  private static final int FREE_HTTP_1_BYTES = 1 << 20;

  /** The same in most answers, and encoded once. */
  private static final List<HttpField> USUAL =
      List.of(
          new PreEncodedHttpField("X-Content-Type-Options", "nosniff"),
          new PreEncodedHttpField("Cache-Control", "no-store"),
          new PreEncodedHttpField("Content-Type", "application/json"));

  private final Request request;
  private final Response response;
  private final HttpFields fields;
  private final boolean multiplexed;
  private @Nullable Body body;

  Call(Request request, Response response) {
    this.request = request;
    this.response = response;
    this.fields = request.getHeaders();
    this.multiplexed = isMultiplexed(request);
  }

  static boolean isMultiplexed(Request request) {
    // A request of HTTP/1.1 can claim any version.
    return !(request.getConnectionMetaData().getConnection() instanceof Http1Connection);
  }

  public String method() {
    return request.getMethod();
  }

  /** Returns the path as it was sent, without the query. */
  public String path() {
    return part(Objects.requireNonNullElse(request.getHttpURI().getPath(), ""), true);
  }

  /** Returns the query as it was sent, without the question mark; empty without one. */
  public String query() {
    return part(Objects.requireNonNullElse(request.getHttpURI().getQuery(), ""), false);
  }

  private String part(String known, boolean beforeMark) {
    String target = Http1Connection.target(request);
    if (target == null) {
      return known;
    }
    int mark = target.indexOf('?');
    return mark < 0
        ? beforeMark ? target : ""
        : beforeMark ? target.substring(0, mark) : target.substring(mark + 1);
  }

  public RequestHeaders headers() {
    return this;
  }

  @Override
  public boolean contains(String name) {
    return fields.contains(name);
  }

  @Override
  public @Nullable String first(String name) {
    return fields.get(name);
  }

  @Override
  public List<String> all(String name) {
    return fields.getValuesList(name);
  }

  public InetSocketAddress peer() {
    return request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress address
        ? address
        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** Returns whether a body follows; it may turn out to be empty. */
  public boolean hasBody() {
    long length = request.getLength();
    return length > 0
        || (length < 0 && (multiplexed || fields.contains(HttpHeader.TRANSFER_ENCODING)));
  }

  /** Returns the body's declared length in bytes, or -1 without one. */
  public long bodyLength() {
    return request.getLength();
  }

  /**
   * Returns the body; the same stream at every call. Reading throws {@link MalformedBodyException}
   * when the client breaks the framing, and another {@link java.io.IOException} when it disconnects
   * or stops sending.
   */
  public InputStream body() {
    Body open = body;
    if (open == null) {
      open = new Body(Content.Source.asInputStream(request), request.getLength());
      body = open;
    }
    return open;
  }

  /**
   * Returns the size that is read without a reservation in the budget of large bodies, in bytes.
   */
  public int freeBodyBytes() {
    return multiplexed ? FREE_HTTP_2_BYTES : FREE_HTTP_1_BYTES;
  }

  /** Returns the headers of the response, to be set before it is sent. */
  public ResponseHeaders responseHeaders() {
    return this;
  }

  @Override
  public void set(String name, String value) {
    response.getHeaders().put(field(name, value));
  }

  @Override
  public void add(String name, String value) {
    response.getHeaders().add(field(name, value));
  }

  private static HttpField field(String name, String value) {
    for (HttpField usual : USUAL) {
      if (usual.getName().equals(name) && usual.getValue().equals(value)) {
        return usual;
      }
    }
    return new HttpField(name, value);
  }

  @Override
  public void remove(String name) {
    response.getHeaders().remove(name);
  }

  /**
   * Sends the response; returns when the body is not read any more.
   *
   * @throws ConnectionLostException when the client no longer reads
   */
  public void send(int status, ByteBuffer body) {
    begin(status);
    write(true, body);
  }

  /**
   * Sends the headers of a response without its body: to {@code HEAD}, or 304.
   *
   * @throws ConnectionLostException when the client no longer reads
   */
  public void sendHeaders(int status) {
    begin(status);
    // Not the last write: with it the library would add a length of 0.
    write(false, BufferUtil.EMPTY_BUFFER);
  }

  /**
   * Begins a response of unknown length. Closing the stream ends it properly; a response that is
   * not closed ends with its connection or stream.
   */
  public OutputStream stream(int status) {
    begin(status);
    if (!multiplexed) {
      // Also on a connection's last response. There the library would mark the end by closing the
      // connection, and a client could not detect a truncated response.
      response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
    }
    write(false, BufferUtil.EMPTY_BUFFER); // The next event may be a long time away.
    return Response.asBufferedOutputStream(request, response);
  }

  private void begin(int status) {
    response.setStatus(status);
    ClientConnector connector = ClientConnector.of(request);
    connector.awaitClosed();
    if (spoilsConnection() || (!multiplexed && connector.isDraining())) {
      response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    }
  }

  private void write(boolean last, ByteBuffer bytes) {
    try (Blocker.Callback written = Blocker.callback()) {
      response.write(last, bytes, written);
      written.block();
    } catch (IOException e) {
      throw new ConnectionLostException("The client went away while it was answered", e);
    }
  }

  /** Returns whether too much of the body is unread, or may be, for the connection to be reused. */
  private boolean spoilsConnection() {
    if (multiplexed || isBodyRead()) {
      return false;
    }
    long length = request.getLength();
    return length < 0 || length > SKIPPED_BYTES || isBodyBroken() || isAwaitingContinue();
  }

  /** Returns whether the body is fully read. */
  boolean isBodyRead() {
    Body open = body;
    return !hasBody() || (open != null && open.ended);
  }

  boolean isBodyBroken() {
    Body open = body;
    return open != null && open.broken;
  }

  /** Returns whether the client waits for 100 Continue because its body was not read yet. */
  boolean isAwaitingContinue() {
    return body == null && fields.contains(HttpHeader.EXPECT, HttpHeaderValue.CONTINUE.asString());
  }

  /** The body, and the state of its reading. */
  private static final class Body extends InputStream {
    private final InputStream in;
    private long left;
    private boolean ended;
    private boolean broken;

    /**
     * Wraps the stream.
     *
     * @param length the declared one, or -1
     */
    private Body(InputStream in, long length) {
      this.in = in;
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      try {
        int count = in.read(bytes, from, length);
        if (left > 0) {
          left -= Math.max(count, 0);
        }
        ended |= count < 0 || left == 0;
        return count;
      } catch (IOException e) {
        broken = true;
        throw e instanceof HttpException
            ? new MalformedBodyException("The body's framing is broken", e)
            : e;
      }
    }
  }
}

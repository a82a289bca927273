package dev.safeconduct.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.MessageSupport;

/**
 * One connection, one request, one answer (HTTP/1.1; an HTTP/1.0 answer will do).
 *
 * <p>The connection is made here and not by an HTTP client, to the very address the guard has
 * judged: between two look-ups of a name the answer may change (DNS rebinding). Only the messages
 * are the library's. Redirects are answers like any other.
 */
final class Exchange {
  /** How much of an answer's body is read, and then thrown away. */
  static final int MAX_BODY = 64 << 10;

  private static final int MAX_LINE = 8 << 10;
  private static final int MAX_HEADERS = 100;
  private static final int MAX_INTERIM = 10;
  private static final int SWITCHING_PROTOCOLS = 101;

  /** More addresses of one name are not tried. */
  private static final int MAX_ADDRESSES = 4;

  private static final Http1Config LIMITS =
      Http1Config.custom().setMaxLineLength(MAX_LINE).setMaxHeaderCount(MAX_HEADERS).build();

  private final AddressGuard guard;
  private final Resolver resolver;
  private final Dialer dialer;
  private final Supplier<SSLSocketFactory> tls;

  Exchange(AddressGuard guard, Surroundings surroundings) {
    this.guard = guard;
    this.resolver = surroundings.resolver();
    this.dialer = surroundings.dialer();
    this.tls = surroundings.tls();
  }

  /** What an answer says that matters here; its body does not. */
  record Answer(int status, Optional<String> retryAfter) {}

  /** The guard's no. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String why;

    private RefusedException(AddressGuard.Refusal refusal) {
      super(refusal.why(), null, false, false);
      this.why = refusal.why();
    }

    String sentence() {
      return "Nothing is delivered there: " + why + ".";
    }
  }

  /**
   * Sends the body and reads the answer to its end, or to {@link #MAX_BODY}.
   *
   * @param deadline in {@link System#nanoTime}; when it passes the caller interrupts this thread
   */
  Answer run(Receiver receiver, Map<String, String> headers, byte[] body, long deadline)
      throws IOException, HttpException, RefusedException, InterruptedException {
    ReceiverUrl url = receiver.url();
    try (Socket plain = connect(url, passed(receiver), deadline);
        Socket socket = url.isTls() ? secured(plain, url) : plain;
        // Frees the library's buffers; the socket is closed by itself.
        var connection = new DefaultBHttpClientConnection(LIMITS)) {
      connection.bind(socket);
      send(connection, url, headers, body);
      return answer(connection);
    }
  }

  private List<InetAddress> passed(Receiver receiver)
      throws IOException, RefusedException, InterruptedException {
    ReceiverUrl url = receiver.url();
    refuseIf(AddressGuard.port(url.port()));
    Optional<InetAddress> literal = url.literal();
    List<InetAddress> addresses =
        literal.isPresent() ? List.of(literal.get()) : resolver.resolve(url.host());
    // One bad address spoils the name: honest names do not mix them.
    for (InetAddress address : addresses) {
      refuseIf(guard.address(address, receiver.isOperators()));
    }
    return addresses.subList(0, Math.min(addresses.size(), MAX_ADDRESSES));
  }

  private static void refuseIf(Optional<AddressGuard.Refusal> refusal) throws RefusedException {
    if (refusal.isPresent()) {
      throw new RefusedException(refusal.get());
    }
  }

  /** The first address that answers; each gets an equal share of the time that is left. */
  private Socket connect(ReceiverUrl url, List<InetAddress> addresses, long deadline)
      throws IOException {
    IOException failure = new SocketTimeoutException("no address was tried");
    for (int i = 0; i < addresses.size(); i++) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (!left.isPositive()) {
        break;
      }
      try {
        return dialer.dial(addresses.get(i), url.port(), left.dividedBy(addresses.size() - i));
      } catch (IOException e) {
        failure = e;
      }
    }
    throw failure;
  }

  /** A TLS connection over this one, to the host that the URL names (RFC 9110 section 4.3.4). */
  private Socket secured(Socket plain, ReceiverUrl url) throws IOException {
    SSLSocket secured = (SSLSocket) tls.get().createSocket(plain, url.host(), url.port(), true);
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    secured.startHandshake();
    return secured;
  }

  private static void send(
      DefaultBHttpClientConnection connection,
      ReceiverUrl url,
      Map<String, String> headers,
      byte[] body)
      throws IOException, HttpException {
    var request = new BasicClassicHttpRequest("POST", url.requestTarget());
    request.addHeader("Host", url.authority());
    headers.forEach(request::addHeader);
    request.addHeader("Content-Length", Integer.toString(body.length));
    request.addHeader("Connection", "close");
    request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
    connection.sendRequestHeader(request);
    connection.sendRequestEntity(request);
    connection.flush();
  }

  private static Answer answer(DefaultBHttpClientConnection connection)
      throws IOException, HttpException {
    ClassicHttpResponse response = connection.receiveResponseHeader();
    for (int i = 0; isInterim(response.getCode()); i++) {
      if (i == MAX_INTERIM) {
        throw new ProtocolException("there is no end to interim answers");
      }
      response = connection.receiveResponseHeader();
    }
    if (MessageSupport.canResponseHaveBody("POST", response)) {
      connection.receiveResponseEntity(response);
      HttpEntity entity = response.getEntity();
      if (entity != null) {
        skim(entity.getContent());
      }
    }
    Header retryAfter = response.getFirstHeader("Retry-After");
    return new Answer(
        response.getCode(),
        retryAfter == null ? Optional.empty() : Optional.ofNullable(retryAfter.getValue()));
  }

  private static boolean isInterim(int status) {
    return status >= 100 && status < 200 && status != SWITCHING_PROTOCOLS;
  }

  /** Not closed: the stream would read on to its end before. */
  private static void skim(InputStream body) throws IOException {
    byte[] buffer = new byte[4 << 10];
    int total = 0;
    while (total < MAX_BODY) {
      int read = body.read(buffer, 0, Math.min(buffer.length, MAX_BODY - total));
      if (read < 0) {
        return;
      }
      total += read;
    }
  }
}

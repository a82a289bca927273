package dev.safeconduct.http;

import io.helidon.http.Headers;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketAddress;

/** A request of HTTP/1.1, by the server library. */
record Http1Call(ServerRequest in, ServerResponse out) implements Call {
  @Override
  public String method() {
    return in.prologue().method().text();
  }

  @Override
  public String path() {
    return in.prologue().uriPath().rawPath();
  }

  @Override
  public String query() {
    return in.prologue().hasQuery() ? in.prologue().query().rawValue() : "";
  }

  @Override
  public Headers headers() {
    return in.headers();
  }

  @Override
  public SocketAddress peer() {
    return in.remotePeer().address();
  }

  @Override
  public String peerName() {
    return in.remotePeer().host();
  }

  @Override
  public boolean hasBody() {
    return in.content().hasEntity();
  }

  @Override
  public InputStream body() {
    return in.content().inputStream();
  }

  @Override
  public int freeBodyBytes() {
    return BodyRule.SMALL.maxBytes();
  }

  @Override
  public boolean inTurn() {
    return true;
  }

  @Override
  public ServerResponseHeaders answerHeaders() {
    return out.headers();
  }

  @Override
  public void send(int status) {
    status(status).send();
  }

  @Override
  public void send(int status, byte[] body) {
    status(status).send(body);
  }

  @Override
  public OutputStream stream(int status) {
    return status(status).outputStream();
  }

  /** Else the library would do it after the handler, which may end the connection before that. */
  @Override
  public void streamed() {
    if (out instanceof RoutingResponse routed) {
      routed.commit();
    }
  }

  private ServerResponse status(int status) {
    return out.status(status == 200 ? Status.OK_200 : Status.create(status));
  }
}

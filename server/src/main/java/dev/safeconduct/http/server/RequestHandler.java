package dev.safeconduct.http.server;

import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each request in a virtual thread. At its end, it discards unread body data for a limited
 * time, so that a client that is still sending gets its response.
 */
final class RequestHandler extends Handler.Abstract.NonBlocking {
  private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);

  private static final int MAX_TARGET = 8 << 10;

  private final CallHandler handler;

  RequestHandler(CallHandler handler) {
    this.handler = handler;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    ClientEndPoint client = ClientEndPoint.below(request.getConnectionMetaData().getConnection());
    if (!client.begin(Call.isMultiplexed(request))) {
      callback.failed(new Request.Handler.AbortException("The connection closes"));
      return true;
    }
    // An endpoint may take long; slow clients are detected by their sockets.
    request.addIdleTimeoutListener(RequestHandler::fails);
    Thread.startVirtualThread(() -> serve(request, response, client, callback));
    return true;
  }

  private static boolean fails(TimeoutException silence) {
    return false;
  }

  private void serve(Request request, Response response, ClientEndPoint client, Callback callback) {
    var call = new Call(request, response);
    @Nullable Throwable failure = null;
    try {
      int refusal = refusal(request);
      if (refusal == 0) {
        handler.handle(call);
      } else {
        handler.refuse(call, refusal);
      }
      if (!UnreadInput.discard(request, call)) {
        endWithoutError(request);
      }
    } catch (ConnectionLostException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      LOG.error("A request failed outside of its endpoint", e);
      failure = e;
    }
    client.end();
    try {
      if (failure == null) {
        callback.succeeded();
      } else {
        callback.failed(new Request.Handler.AbortException(failure));
      }
    } finally {
      client.finish();
    }
  }

  /**
   * Ends an HTTP/2 stream whose client still sends, as RFC 9113 section 8.1 wants it after a whole
   * response. The library would reset it with an error, and clients would drop the response.
   */
  private static void endWithoutError(Request request) {
    if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection) {
      Stream stream = connection.getSession().getStream(Integer.parseInt(request.getId()));
      if (stream != null) {
        stream.reset(new ResetFrame(stream.getId(), ErrorCode.NO_ERROR.code), Callback.NOOP);
      }
    }
  }

  /** Returns the status for requests that the library accepts and this service refuses; else 0. */
  private static int refusal(Request request) {
    boolean multiplexed = Call.isMultiplexed(request);
    if (!multiplexed && request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_1_1) {
      return 505;
    }
    if (Objects.requireNonNullElse(request.getHttpURI().getPathQuery(), "").length() > MAX_TARGET) {
      return 414;
    }
    if (request.getHttpURI().getFragment() != null) {
      return 400; // RFC 9112 section 3.2 does not allow one in a request.
    }
    long size = 0;
    for (HttpField field : request.getHeaders()) {
      size += field.getName().length() + Objects.requireNonNullElse(field.getValue(), "").length();
      if (field.getHeader() == HttpHeader.TRANSFER_ENCODING) {
        if (multiplexed) {
          return 400; // RFC 9113 section 8.2.2
        }
        if (!HttpHeaderValue.CHUNKED.is(field.getValue())) {
          return 501;
        }
      }
    }
    return size > WebServer.MAX_HEADERS ? 431 : 0;
  }
}

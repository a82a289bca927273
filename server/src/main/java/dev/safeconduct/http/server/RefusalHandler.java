package dev.safeconduct.http.server;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that the library itself refuses, before any handler. */
final class RefusalHandler implements Request.Handler {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalHandler.class);

  private final CallHandler handler;

  RefusalHandler(CallHandler handler) {
    this.handler = handler;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus() == 426 ? 505 : response.getStatus();
    Thread.startVirtualThread(() -> refuse(request, response, status, callback));
    return true;
  }

  private void refuse(Request request, Response response, int status, Callback callback) {
    boolean multiplexed = Call.isMultiplexed(request);
    if (!multiplexed) {
      // The start of the next request is unknown.
      response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    }
    try {
      handler.refuse(new Call(request, response), status);
      if (!multiplexed) {
        UnreadInput.discard(request.getConnectionMetaData().getConnection().getEndPoint());
      }
      callback.succeeded();
    } catch (ConnectionLostException e) {
      callback.failed(e);
    } catch (RuntimeException | Error e) {
      LOG.error("A refusal failed", e);
      callback.failed(e);
    }
  }
}

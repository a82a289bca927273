package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.Upstream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the responses to the gateway's own requests. */
final class Waiting {
  private static final long SECONDS = 20;

  private Waiting() {}

  /** Returns the response, or an error in its place. */
  static Message answer(Upstream server, Message request, Forwarded headers) {
    var answer = new CompletableFuture<Message>();
    server.request(
        request,
        headers,
        message -> {
          if (message.kind() == Kind.RESPONSE) {
            answer.complete(message);
          }
        });
    try {
      return answer.get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return none(request);
    } catch (ExecutionException | TimeoutException e) {
      return none(request);
    }
  }

  private static Message none(Message request) {
    return Message.error(
        request.id(), RpcError.of(RpcError.INTERNAL_ERROR, "The MCP server does not answer."));
  }
}

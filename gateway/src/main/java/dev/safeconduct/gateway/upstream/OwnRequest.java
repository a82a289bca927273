package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request of the gateway itself to a server. */
public final class OwnRequest {
  private OwnRequest() {}

  /**
   * Returns the response; nothing when the server does not answer in time. Then the request is
   * cancelled.
   */
  public static Optional<Message> answer(
      Upstream server, Message request, Forwarded headers, Duration longest) {
    var answer = new CompletableFuture<Message>();
    // A connection over HTTP holds its caller up to the response, however long that takes.
    Thread.startVirtualThread(() -> {
      try {
        server.request(
            request,
            headers,
            message -> {
              if (message.kind() == Kind.RESPONSE) {
                answer.complete(message);
              }
            });
      } catch (RuntimeException e) {
        answer.completeExceptionally(e);
      }
    });
    try {
      return Optional.of(answer.get(longest.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancel(server, request, headers);
      return Optional.empty();
    } catch (TimeoutException e) {
      cancel(server, request, headers);
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.empty();
    }
  }

  /** Lets the server end its work; only the start of a session cannot be cancelled. */
  private static void cancel(Upstream server, Message request, Forwarded headers) {
    if (!request.method().equals("initialize")) {
      Message cancelled =
          Message.notification(
              "notifications/cancelled", Map.of("requestId", Objects.requireNonNull(request.id())));
      // Its caller has waited long enough.
      Thread.startVirtualThread(() -> server.notify(cancelled, headers));
    }
  }
}

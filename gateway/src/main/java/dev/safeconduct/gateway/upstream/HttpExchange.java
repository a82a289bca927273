package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.http.ServerSentEvent;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One request to a server over HTTP, up to its response, which it passes on once. */
final class HttpExchange {
  private static final Duration DEFAULT_RETRY = Duration.ofSeconds(1);

  private final Message request;
  private final Outlet outlet;
  private final MessageMemory.Part held;
  private final AtomicReference<@Nullable Message> response = new AtomicReference<>();
  private final CountDownLatch handedOver = new CountDownLatch(1);
  private volatile @Nullable CompletableFuture<HttpResponse<InputStream>> sending;
  private volatile @Nullable String lastEventId;
  private volatile Duration retry = DEFAULT_RETRY;
  private volatile boolean isCancelled;

  /**
   * Prepares the exchange.
   *
   * @param held what an answer takes of the memory
   */
  HttpExchange(Message request, Outlet outlet, MessageMemory.Part held) {
    this.request = request;
    this.outlet = outlet;
    this.held = held;
  }

  Message request() {
    return request;
  }

  /**
   * Sends an HTTP request and waits for the answer, or for the start of a stream.
   *
   * @param maxBytes the size of an answer that is not a stream
   * @throws IOException when there is none within the request's time-out, or the exchange was
   *     cancelled
   */
  HttpResponse<InputStream> send(HttpClient client, HttpRequest http, int maxBytes)
      throws IOException {
    CompletableFuture<HttpResponse<InputStream>> future;
    synchronized (this) {
      if (isCancelled) {
        throw new IOException("The request was cancelled");
      }
      future = client.sendAsync(http, answer -> subscriber(answer, maxBytes));
      sending = future;
    }
    try {
      // The client's own time-out ends with the head of an answer.
      return future.get(http.timeout().orElseThrow().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new IOException("the answer does not arrive in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    } catch (CancellationException e) {
      throw new IOException("The request was cancelled", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The gateway stops", e);
    } finally {
      noteHandedOver();
    }
  }

  /** Notes that the connection to the server has the whole request. */
  void noteHandedOver() {
    handedOver.countDown();
  }

  /** Waits until the connection has the whole request, or there is none any more. */
  boolean awaitHandedOver(Duration longest) {
    try {
      return handedOver.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Cancels a request that was not sent; returns whether that is so. */
  synchronized boolean cancelUnsent() {
    isCancelled |= sending == null;
    return sending == null;
  }

  /** A whole body costs fewer changes of threads than a stream of its parts. */
  private BodySubscriber<InputStream> subscriber(ResponseInfo answer, int maxBytes) {
    boolean isStream =
        answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
    return isStream
        ? BodySubscribers.ofInputStream()
        : BodySubscribers.mapping(
            BodySubscribers.limiting(
                new BoundedBody(BodySubscribers.ofByteArray(), held), maxBytes),
            ByteArrayInputStream::new);
  }

  /** Closes the connection to the server. */
  void cancel() {
    CompletableFuture<HttpResponse<InputStream>> future;
    synchronized (this) {
      isCancelled = true;
      future = sending;
    }
    if (future == null) {
      return;
    }
    if (!future.cancel(true) && !future.isCompletedExceptionally()) {
      try {
        future.join().body().close();
      } catch (IOException _) {
        // It is closed then.
      }
    }
  }

  /**
   * Passes on what an event of the request's stream carries.
   *
   * @return whether it carried a message
   */
  boolean take(ServerSentEvent event) throws InvalidMessage, MessageMemory.Exhausted {
    note(event);
    if (event.data().isEmpty()) {
      return false;
    }
    Message message = parse(event.data().getBytes(StandardCharsets.UTF_8));
    if (message.kind() == Kind.RESPONSE) {
      answer(message);
    } else if (!isDone()
        && (message.kind() == Kind.NOTIFICATION || Revision.of(request).isEmpty())) {
      outlet.send(message); // Without sessions, servers send no requests.
    }
    return true;
  }

  /** Parses a message of the server, whose bytes have their room. */
  Message parse(byte[] bytes) throws InvalidMessage, MessageMemory.Exhausted {
    if (!held.takeForValues(bytes)) {
      throw new MessageMemory.Exhausted();
    }
    return Message.parse(bytes);
  }

  MessageMemory.Part held() {
    return held;
  }

  /** Remembers where to go on after the event. */
  void note(ServerSentEvent event) {
    event.id().ifPresent(id -> lastEventId = id);
    event.retry().ifPresent(wait -> retry = wait);
  }

  /** Passes on the response; an answer to something else is not one. */
  void answer(Message message) {
    if (message.kind() != Kind.RESPONSE
        || (message.id() != null && !message.id().equals(request.id()))) {
      fail(RpcError.INTERNAL_ERROR, "The MCP server answers another request.");
      return;
    }
    // A server that could not read the id answers with none.
    finish(message.id() == null ? message.with("id", request.id()) : message);
  }

  void fail(int code, String text) {
    finish(Message.error(request.id(), RpcError.of(code, text)));
  }

  private void finish(Message message) {
    if (response.compareAndSet(null, message)) {
      outlet.send(message);
    }
  }

  boolean isDone() {
    return response.get() != null || isCancelled;
  }

  boolean isAnswered() {
    return response.get() != null && !isCancelled;
  }

  Optional<Map<String, @Nullable Object>> result() {
    Message message = response.get();
    return message == null ? Optional.empty() : Optional.ofNullable(message.result());
  }

  @Nullable String lastEventId() {
    return lastEventId;
  }

  Duration retry() {
    return Objects.requireNonNull(retry);
  }
}

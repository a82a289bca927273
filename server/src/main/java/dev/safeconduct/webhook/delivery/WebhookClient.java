package dev.safeconduct.webhook.delivery;

import dev.safeconduct.net.RetryAfter;
import dev.safeconduct.telemetry.CallSpan;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One try at a delivery: one connection, one request, one response, over by its deadline whatever
 * the receiver does.
 *
 * <p>The exchange runs on a virtual thread of its own. When time is up that thread is interrupted,
 * which closes the socket it is blocked in (see {@link java.net.Socket}), be it in connecting, in
 * the TLS handshake, or between two bytes of a response that trickles in. A timeout on the socket
 * would start anew with each byte.
 */
public final class WebhookClient {
  /** How much of a response's body is read, and then thrown away. */
  static final int MAX_BODY = 64 << 10;

  /** More addresses of one name are not tried. */
  private static final int MAX_ADDRESSES = 4;

  private static final int CAUSES = 8;
  private static final Logger LOG = LoggerFactory.getLogger(WebhookClient.class);

  private final AddressGuard guard;
  private final WebhookDependencies dependencies;
  private final InstantSource clock;

  public WebhookClient(AddressGuard guard, WebhookDependencies dependencies, InstantSource clock) {
    this.guard = guard;
    this.dependencies = dependencies;
    this.clock = clock;
  }

  /** What a response says that matters here; its body does not. */
  private record Response(int status, Optional<String> retryAfter) {}

  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private RefusedException(AddressGuard.Refusal refusal) {
      super("Deliveries to it are refused: " + refusal.why() + ".", null, false, false);
    }
  }

  /** Sends the event as the receiver's try of that number. */
  public AttemptOutcome send(Receiver receiver, WebhookEvent event, int attempt, Duration timeout) {
    if (receiver.secrets().isEmpty() && !receiver.isOperators()) {
      // An organization's webhook always has one.
      return new AttemptOutcome.Refused(
          "The webhook's secret cannot be opened; rotate it.", Duration.ZERO);
    }
    CallSpan span = CallSpan.post(receiver.url().host(), receiver.url().port(), attempt);
    AttemptOutcome outcome = send(receiver, event, attempt, timeout, span.headers());
    span.end(outcome.status().orElse(null), outcome.failure().isPresent());
    return outcome;
  }

  private AttemptOutcome send(
      Receiver receiver,
      WebhookEvent event,
      int attempt,
      Duration timeout,
      Map<String, String> trace) {
    Instant now = clock.instant();
    byte[] body = receiver.format().body(event);
    long began = System.nanoTime();
    long deadline = began + timeout.toNanos();
    var exchange =
        new FutureTask<>(() -> {
          Map<String, String> headers = headers(receiver.secrets(), event, body, attempt, now);
          headers.putAll(trace);
          return exchange(receiver, headers, body, deadline);
        });
    Thread.ofVirtual().name("webhook-try").start(exchange);
    try {
      Response response = exchange.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      Optional<Duration> wait = response.retryAfter().flatMap(text -> RetryAfter.read(text, now));
      return new AttemptOutcome.Answered(response.status(), wait, since(began));
    } catch (TimeoutException _) {
      exchange.cancel(true);
      return timedOut(timeout, began);
    } catch (InterruptedException _) {
      exchange.cancel(true);
      Thread.currentThread().interrupt();
      return new AttemptOutcome.Unanswered("The delivery was broken off.", since(began));
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return failed(receiver, cause == null ? e : cause, timeout, began);
    }
  }

  /**
   * The headers in the order they are sent: those the public specification fixes, and beside them
   * those of Standard Webhooks 1.0, for receivers that verify with its libraries.
   */
  private static Map<String, String> headers(
      List<WebhookSecret> secrets, WebhookEvent event, byte[] body, int attempt, Instant now) {
    long seconds = now.getEpochSecond();
    var headers = new LinkedHashMap<String, String>();
    headers.put("Content-Type", "application/json");
    headers.put("User-Agent", "Safeconduct-Webhook/1.0");
    headers.put("X-Webhook-Event", event.type());
    headers.put("X-Webhook-Attempt", Integer.toString(attempt));
    headers.put("X-Webhook-Id", event.id());
    headers.put("webhook-id", event.id());
    headers.put("webhook-timestamp", Long.toString(seconds));
    if (!secrets.isEmpty()) {
      // One value, as the specification has it: during a change-over the new secret's. The list of
      // Standard Webhooks has room for all of them.
      headers.put("X-Webhook-Signature", secrets.getFirst().bodySignature(body));
      headers.put(
          "webhook-signature",
          String.join(
              " ",
              secrets.stream()
                  .map(secret -> secret.standardSignature(event.id(), seconds, body))
                  .toList()));
    }
    return headers;
  }

  private Response exchange(
      Receiver receiver, Map<String, String> headers, byte[] body, long deadline)
      throws IOException, RefusedException, InterruptedException {
    ReceiverUrl url = receiver.url();
    List<InetAddress> addresses = checked(receiver);
    // Each address gets an equal share of the time that is left, so that the last is tried too.
    Duration share = Duration.ofNanos(deadline - System.nanoTime()).dividedBy(addresses.size());
    var target = new HttpHost(url.url().scheme(), url.host(), url.port());
    // With the host apart, the request target is sent as it was registered. Otherwise the client
    // reads it as a URI, and a path that begins with // as a host.
    var request = new BasicClassicHttpRequest("POST", target, url.requestTarget());
    request.setHeader("Host", url.authority());
    request.setHeader("Connection", "close");
    request.setEntity(new ByteArrayEntity(body, null));
    headers.forEach(request::setHeader);
    // Closing the client closes the connection, whether the response was read or not.
    try (CloseableHttpClient client = GuardedHttp.open(dependencies, addresses, share)) {
      return read(client.executeOpen(target, request, null));
    }
  }

  /** The addresses of the receiver's host, every one of which may be connected to. */
  private List<InetAddress> checked(Receiver receiver)
      throws IOException, RefusedException, InterruptedException {
    ReceiverUrl url = receiver.url();
    refuseIf(AddressGuard.port(url.port()));
    refuseIf(guard.host(url.url().host(), receiver.isOperators()));
    Optional<InetAddress> literal = url.literal();
    List<InetAddress> addresses =
        literal.isPresent() ? List.of(literal.get()) : dependencies.resolver().resolve(url.host());
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

  private static Response read(ClassicHttpResponse response) throws IOException {
    HttpEntity entity = response.getEntity();
    if (entity != null) {
      skim(entity.getContent());
    }
    Header retryAfter = response.getFirstHeader("Retry-After");
    return new Response(
        response.getCode(),
        retryAfter == null ? Optional.empty() : Optional.ofNullable(retryAfter.getValue()));
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

  private static AttemptOutcome failed(
      Receiver receiver, Throwable cause, Duration timeout, long began) {
    if (cause instanceof RefusedException refused) {
      return new AttemptOutcome.Refused(String.valueOf(refused.getMessage()), since(began));
    }
    if (cause instanceof SocketTimeoutException && since(began).compareTo(timeout) >= 0) {
      return timedOut(timeout, began);
    }
    if (!(cause instanceof Exception) || cause instanceof RuntimeException) {
      LOG.error("a delivery to {} failed in an unforeseen way", receiver.id(), cause);
    }
    return new AttemptOutcome.Unanswered(sentence(cause), since(began));
  }

  private static AttemptOutcome timedOut(Duration timeout, long began) {
    return new AttemptOutcome.Unanswered(
        "The receiver did not answer in full within " + timeout.toMillis() + " ms.", since(began));
  }

  private static Duration since(long began) {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  /**
   * What went wrong, in words of ours: the exception's own may hold text that the receiver sent.
   * Neither names nor addresses are in them, as tenants read of the operator's receiver too, and of
   * what names inside the operator's network stand for.
   */
  private static String sentence(Throwable cause) {
    return switch (cause) {
      case UnknownHostException _ -> "The receiver's name could not be looked up.";
      case SocketTimeoutException _ -> "The receiver could not be reached in time.";
      case NoRouteToHostException _ -> "There is no route to the receiver.";
      case ConnectException _ -> "The receiver refused the connection.";
      case SSLException tls ->
          isAboutCertificate(tls)
              ? "The receiver's certificate is not valid for its host."
              : "No TLS connection could be made.";
      case MessageConstraintException _ -> "The receiver's answer has too long a head.";
      case NoHttpResponseException _, ConnectionClosedException _, TruncatedChunkException _ ->
          "The receiver closed the connection before its answer was complete.";
      case ClientProtocolException _, HttpException _ -> "The receiver's answer is not HTTP.";
      default -> "The connection to the receiver broke.";
    };
  }

  private static boolean isAboutCertificate(@Nullable Throwable fault) {
    Throwable at = fault;
    for (int i = 0; i < CAUSES && at != null; i++) {
      if (at instanceof GeneralSecurityException) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }
}

package dev.safeconduct.webhook;

import dev.safeconduct.trace.CallSpan;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One try at a delivery, over by its deadline whatever the receiver does.
 *
 * <p>The exchange runs on a virtual thread of its own. When time is up that thread is interrupted,
 * which closes the socket it is blocked in (see {@link java.net.Socket}), be it in connecting, in
 * the TLS handshake, or between two bytes of an answer that trickles in. A timeout on the socket
 * would start anew with each byte.
 */
final class SendOnce {
  private static final Logger LOG = LoggerFactory.getLogger(SendOnce.class);

  private final Exchange exchange;
  private final InstantSource clock;

  SendOnce(Exchange exchange, InstantSource clock) {
    this.exchange = exchange;
    this.clock = clock;
  }

  /** Sends the event as the receiver's try of that number. */
  Outcome run(Receiver receiver, StatusEvent event, int attempt, Duration timeout) {
    if (receiver.secrets().isEmpty() && !receiver.isOperators()) {
      // An organization's webhook always has one.
      return new Outcome.Refused(
          "The webhook's secret cannot be opened; rotate it.", Duration.ZERO);
    }
    CallSpan span = CallSpan.post(receiver.url().host(), receiver.url().port(), attempt);
    Outcome outcome = send(receiver, event, attempt, timeout, span.headers());
    span.end(outcome.status().orElse(null), outcome.failure().isPresent());
    return outcome;
  }

  private Outcome send(
      Receiver receiver,
      StatusEvent event,
      int attempt,
      Duration timeout,
      Map<String, String> trace) {
    Instant now = clock.instant();
    long began = System.nanoTime();
    long deadline = began + timeout.toNanos();
    var answer =
        new FutureTask<>(() -> {
          Map<String, String> headers = SignedHeaders.of(receiver.secrets(), event, attempt, now);
          headers.putAll(trace);
          return exchange.run(receiver, headers, event.body(), deadline);
        });
    Thread.ofVirtual().name("webhook-try").start(answer);
    try {
      Exchange.Answer answered = answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      Optional<Duration> wait = answered.retryAfter().flatMap(text -> RetryAfter.parse(text, now));
      return new Outcome.Answered(answered.status(), wait, since(began));
    } catch (TimeoutException _) {
      answer.cancel(true);
      return timedOut(timeout, began);
    } catch (InterruptedException _) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      return new Outcome.Unanswered("The delivery was broken off.", since(began));
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return failed(receiver, cause == null ? e : cause, timeout, began);
    }
  }

  private static Outcome failed(Receiver receiver, Throwable cause, Duration timeout, long began) {
    if (cause instanceof Exchange.RefusedException refused) {
      return new Outcome.Refused(refused.sentence(), since(began));
    }
    if (cause instanceof java.net.SocketTimeoutException && since(began).compareTo(timeout) >= 0) {
      return timedOut(timeout, began);
    }
    if (!(cause instanceof Exception) || cause instanceof RuntimeException) {
      LOG.error("a delivery to {} failed in an unforeseen way", receiver.id(), cause);
    }
    return new Outcome.Unanswered(Failures.sentence(cause), since(began));
  }

  private static Outcome timedOut(Duration timeout, long began) {
    return new Outcome.Unanswered(
        "The receiver did not answer in full within " + timeout.toMillis() + " ms.", since(began));
  }

  private static Duration since(long began) {
    return Duration.ofNanos(System.nanoTime() - began);
  }
}

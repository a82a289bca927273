package dev.safeconduct.webhook.delivery;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Delivers one event to one receiver, with retries by its {@link RetryPolicy}. It waits on the
 * caller's thread, without a queue or background work.
 */
public final class DeliverWithRetries {
  private static final String NO_TIME =
      "Not sent: the time for the deliveries of one request was over.";

  private final WebhookClient client;
  private final Ticker ticker;
  private final DoubleSupplier chance;
  private final Consumer<String> outcomes;

  /** {@code outcomes} receives {@code delivered} or {@code failed}, to count them. */
  public DeliverWithRetries(
      WebhookClient client, Ticker ticker, DoubleSupplier chance, Consumer<String> outcomes) {
    this.outcomes = outcomes;
    this.client = client;
    this.ticker = ticker;
    this.chance = chance;
  }

  /**
   * The result of all attempts.
   *
   * @param attempts the number of requests that were sent
   * @param last the outcome of the last one, which decides
   */
  public record Result(int attempts, AttemptOutcome last) {
    public boolean delivered() {
      return last.failure().isEmpty();
    }
  }

  /**
   * Tries until the event is delivered, the retries are used up, or the deadline is reached. After
   * the deadline nothing is sent.
   *
   * @param deadline in the nanoseconds of {@link Ticker}; an attempt that is running then is
   *     aborted
   */
  public Result run(Receiver receiver, WebhookEvent event, long deadline) {
    RetryPolicy policy = receiver.policy();
    if (ticker.nanos() >= deadline) {
      outcomes.accept("failed");
      return new Result(0, new AttemptOutcome.Unanswered(NO_TIME, Duration.ZERO));
    }
    for (int attempt = 1; ; attempt++) {
      Duration left = Duration.ofNanos(Math.max(1, deadline - ticker.nanos()));
      Duration timeout = RetryPolicy.shorter(left, policy.timeout());
      AttemptOutcome outcome = client.send(receiver, event, attempt, timeout);
      boolean again =
          outcome.failure().isPresent()
              && outcome.isRetried()
              && attempt <= policy.retries()
              && pausedBefore(attempt, policy, outcome, deadline);
      if (!again) {
        outcomes.accept(outcome.failure().isEmpty() ? "delivered" : "failed");
        // A refusal is no attempt: nothing was sent.
        int attempts = outcome instanceof AttemptOutcome.Refused ? attempt - 1 : attempt;
        return new Result(attempts, outcome);
      }
    }
  }

  private boolean pausedBefore(
      int retry, RetryPolicy policy, AttemptOutcome outcome, long deadline) {
    Duration wait = policy.backoff(retry, chance.getAsDouble());
    Optional<Duration> asked =
        outcome.retryAfter().map(time -> RetryPolicy.shorter(time, RetryPolicy.MAX_WAIT));
    if (asked.isPresent() && asked.get().compareTo(wait) > 0) {
      wait = asked.get();
    }
    return wait.toNanos() < deadline - ticker.nanos() && ticker.pause(wait);
  }
}

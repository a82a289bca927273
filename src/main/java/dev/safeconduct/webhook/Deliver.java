package dev.safeconduct.webhook;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Delivers one event to one receiver, trying again as its {@link RetryPolicy} says. It waits on the
 * caller's thread: there is no queue and nothing goes on in the background.
 */
final class Deliver {
  private final SendOnce sendOnce;
  private final Pace pace;
  private final DoubleSupplier chance;
  private final Consumer<String> outcomes;

  /** {@code outcomes} hears {@code delivered} or {@code failed}, to count them. */
  Deliver(SendOnce sendOnce, Pace pace, DoubleSupplier chance, Consumer<String> outcomes) {
    this.outcomes = outcomes;
    this.sendOnce = sendOnce;
    this.pace = pace;
    this.chance = chance;
  }

  /**
   * What came of all tries.
   *
   * @param attempts how many there were
   * @param last the outcome of the last one, which decides
   */
  record Result(int attempts, Outcome last) {
    boolean delivered() {
      return last.failure().isEmpty();
    }
  }

  /**
   * Tries until the receiver takes it, another try is of no use, or the time is up.
   *
   * @param deadline in the nanoseconds of {@link Pace}; a try still running then is cut off, and
   *     there is no wait beyond it
   */
  Result run(Receiver receiver, StatusEvent event, long deadline) {
    RetryPolicy policy = receiver.policy();
    for (int attempt = 1; ; attempt++) {
      Duration left = Duration.ofNanos(Math.max(1, deadline - pace.nanos()));
      Duration timeout = left.compareTo(policy.timeout()) < 0 ? left : policy.timeout();
      Outcome outcome = sendOnce.run(receiver, event, attempt, timeout);
      boolean again =
          outcome.failure().isPresent()
              && outcome.isWorthRetrying()
              && attempt <= policy.retries()
              && pausedBefore(attempt, policy, outcome, deadline);
      if (!again) {
        outcomes.accept(outcome.failure().isEmpty() ? "delivered" : "failed");
        return new Result(attempt, outcome);
      }
    }
  }

  private boolean pausedBefore(int retry, RetryPolicy policy, Outcome outcome, long deadline) {
    Duration wait = policy.backoff(retry, chance.getAsDouble());
    Optional<Duration> asked = outcome.retryAfter().map(Deliver::capped);
    if (asked.isPresent() && asked.get().compareTo(wait) > 0) {
      wait = asked.get();
    }
    return wait.toNanos() < deadline - pace.nanos() && pace.pause(wait);
  }

  private static Duration capped(Duration wait) {
    return wait.compareTo(RetryPolicy.MAX_WAIT) > 0 ? RetryPolicy.MAX_WAIT : wait;
  }
}

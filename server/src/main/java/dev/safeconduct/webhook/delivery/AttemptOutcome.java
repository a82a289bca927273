package dev.safeconduct.webhook.delivery;

import java.time.Duration;
import java.util.Optional;

/** The outcome of one delivery attempt. */
public sealed interface AttemptOutcome {
  /** How long it took. */
  Duration took();

  /** Why it counts as failed, in a sentence; empty when it was delivered. */
  Optional<String> failure();

  /** Whether another try could end otherwise. */
  boolean isWorthRetrying();

  /** Whether the receiver works but refuses this event. */
  default boolean isAboutTheEventAlone() {
    return false;
  }

  /** The status of the answer, when one came whole. */
  default Optional<Integer> status() {
    return Optional.empty();
  }

  /** How long the receiver asks us to wait. */
  default Optional<Duration> retryAfter() {
    return Optional.empty();
  }

  /** An answer; delivered with any 2xx. */
  record Answered(int code, Optional<Duration> asksToWait, Duration took)
      implements AttemptOutcome {
    @Override
    public Optional<Integer> status() {
      return Optional.of(code);
    }

    @Override
    public Optional<Duration> retryAfter() {
      return asksToWait;
    }

    @Override
    public Optional<String> failure() {
      return code / 100 == 2
          ? Optional.empty()
          : Optional.of("The receiver answered " + code + ".");
    }

    @Override
    public boolean isAboutTheEventAlone() {
      return code == 400 || code == 409 || code == 413 || code == 422;
    }

    @Override
    public boolean isWorthRetrying() {
      return switch (code) {
        case 408, 409, 425, 429 -> true;
        default -> code / 100 != 4;
      };
    }
  }

  /** No answer, or not a whole one. */
  record Unanswered(String why, Duration took) implements AttemptOutcome {
    @Override
    public Optional<String> failure() {
      return Optional.of(why);
    }

    @Override
    public boolean isWorthRetrying() {
      return true;
    }
  }

  /** Nothing was sent: the guard does not let anything go there. */
  record Refused(String why, Duration took) implements AttemptOutcome {
    @Override
    public Optional<String> failure() {
      return Optional.of(why);
    }

    @Override
    public boolean isWorthRetrying() {
      return false;
    }
  }
}

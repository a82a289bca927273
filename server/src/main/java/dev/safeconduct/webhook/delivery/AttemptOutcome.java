package dev.safeconduct.webhook.delivery;

import java.time.Duration;
import java.util.Optional;

/** The outcome of one delivery attempt. */
public sealed interface AttemptOutcome {
  Duration took();

  /** The reason why it failed, in a sentence; empty when it was delivered. */
  Optional<String> failure();

  /** Whether a failed attempt is repeated. Every delivery that failed is, until a 410 (Gone). */
  default boolean isRetried() {
    return status().filter(code -> code == 410).isEmpty();
  }

  /** Whether the receiver works but refuses this event. */
  default boolean isAboutTheEventAlone() {
    return false;
  }

  /** The status of a complete response. */
  default Optional<Integer> status() {
    return Optional.empty();
  }

  /** The wait that the receiver asks for. */
  default Optional<Duration> retryAfter() {
    return Optional.empty();
  }

  /** A response; any 2xx means delivered. */
  record Answered(int code, Optional<Duration> retryAfter, Duration took)
      implements AttemptOutcome {
    @Override
    public Optional<Integer> status() {
      return Optional.of(code);
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
  }

  /** No response, or an incomplete one. */
  record Unanswered(String why, Duration took) implements AttemptOutcome {
    @Override
    public Optional<String> failure() {
      return Optional.of(why);
    }
  }

  /** Nothing was sent, because deliveries to this receiver are refused. */
  record Refused(String why, Duration took) implements AttemptOutcome {
    @Override
    public Optional<String> failure() {
      return Optional.of(why);
    }

    @Override
    public boolean isRetried() {
      return false;
    }
  }
}

package dev.safeconduct.webhook.delivery;

import dev.safeconduct.identity.OrgId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * One event for one receiver, and its result. Of a response only the status and the time are
 * stored, never the body.
 *
 * @param receiver {@code global} or the webhook's id
 * @param owner whose webhook it is; empty for the operator's receiver
 * @param url where it was sent last
 */
public record Delivery(
    String id,
    String receiver,
    Optional<OrgId> owner,
    WebhookEvent event,
    String url,
    Instant createdAt,
    Progress progress) {

  /** How far a delivery has come. */
  public enum State {
    /** Being sent; or the process ended while it was. */
    SENDING,
    /** Waits for its next try; a status change never does. */
    WAITING,
    DELIVERED,
    /** A dead letter: sent again only on request. */
    DEAD;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** The name as requests, answers and rows spell it. */
    public String wire() {
      return wire;
    }

    public static Optional<State> parse(String text) {
      return Arrays.stream(values()).filter(state -> state.wire.equals(text)).findFirst();
    }
  }

  /**
   * What the tries came to.
   *
   * @param attempts all tries, those of redeliveries included
   * @param responseStatus of the last try's answer, when one came
   * @param responseTime how long the last try took
   * @param failure why it is a dead letter
   * @param at when this was so
   */
  public record Progress(
      State state,
      int attempts,
      Optional<Integer> responseStatus,
      Optional<Duration> responseTime,
      Optional<String> failure,
      Instant at) {}

  /** One that is about to be sent. */
  public static Delivery begin(String id, Receiver receiver, WebhookEvent event, Instant now) {
    return new Delivery(
        id,
        receiver.id(),
        receiver.owner(),
        event,
        receiver.url().text(),
        now,
        new Progress(State.SENDING, 0, Optional.empty(), Optional.empty(), Optional.empty(), now));
  }

  /** This one after (more) tries. */
  Delivery after(ReceiverUrl to, DeliverWithRetries.Result result, Instant now) {
    return after(to, result, result.delivered() ? State.DELIVERED : State.DEAD, now);
  }

  /** This one after a failed try, before the next. */
  public Delivery waiting(ReceiverUrl to, DeliverWithRetries.Result result, Instant now) {
    return after(to, result, State.WAITING, now);
  }

  private Delivery after(
      ReceiverUrl to, DeliverWithRetries.Result result, State state, Instant now) {
    AttemptOutcome last = result.last();
    return with(
        to.text(),
        new Progress(
            state,
            progress.attempts() + result.attempts(),
            last.status(),
            Optional.of(last.took()),
            last.failure(),
            now));
  }

  /** As it is to be read at that time: what should long be over was broken off, and is dead. */
  public Delivery asOf(Instant now) {
    if (progress.state() != State.SENDING || !progress.at().isBefore(abandonedBefore(now))) {
      return this;
    }
    return with(
        url,
        new Progress(
            State.DEAD,
            progress.attempts(),
            Optional.empty(),
            Optional.empty(),
            Optional.of("The service ended while this was being sent."),
            progress.at()));
  }

  /** What was last changed before that time and is still being sent never will be. */
  public static Instant abandonedBefore(Instant now) {
    return now.minus(RetryPolicy.MAX_TOTAL.multipliedBy(2));
  }

  private Delivery with(String to, Progress reached) {
    return new Delivery(id, receiver, owner, event, to, createdAt, reached);
  }
}

package dev.safeconduct.webhook;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A receiver that an organization has registered.
 *
 * @param agent the only agent whose events it receives; empty for all of the organization's
 * @param events the kinds it asked for, as it spelled them; unknown ones are kept and bring nothing
 * @param format the form of the body
 * @param retries, delay, timeout as in {@link RetryPolicy}; the operator's where empty
 * @param sealedSecrets what {@link SecretSeal} made
 * @param overlapEndsAt until when older secrets sign beside the newest
 * @param revision counts every change, from 1
 */
@SuppressWarnings("ArrayRecordComponent") // sealed bytes that are never compared
public record Webhook(
    String id,
    OrgId org,
    ReceiverUrl url,
    Optional<AgentId> agent,
    List<String> events,
    Format format,
    boolean active,
    Optional<Integer> retries,
    Optional<Duration> delay,
    Optional<Duration> timeout,
    byte[] sealedSecrets,
    Optional<Instant> overlapEndsAt,
    long revision,
    Instant createdAt,
    Instant updatedAt) {
  /**
   * The most webhooks for one agent, and the most for all agents of an organization: a status
   * change waits for all that receive it.
   */
  public static final int MOST_PER_TARGET = 20;

  public Webhook {
    events = List.copyOf(events);
  }

  /**
   * Refuses it where its target has too many already.
   *
   * @param others how many there are for the same target
   */
  void demandRoom(long others) {
    if (others >= MOST_PER_TARGET) {
      throw ProblemException.conflict(
          "There are " + MOST_PER_TARGET + " webhooks for this target already; delete one first.",
          "too_many_webhooks");
    }
  }

  /** Whether it receives the agent's status changes. */
  boolean wants(AgentId changed) {
    return active
        && events.stream()
            .anyMatch(name -> EventType.parse(name).equals(Optional.of(EventType.STATUS_CHANGE)))
        && (agent.isEmpty() || agent.get().equals(changed));
  }

  /** The same with other secrets. */
  Webhook with(byte[] sealed, Optional<Instant> until, Instant now) {
    return new Webhook(
        id,
        org,
        url,
        agent,
        events,
        format,
        active,
        retries,
        delay,
        timeout,
        sealed,
        until,
        revision + 1,
        createdAt,
        now);
  }

  RetryPolicy policy(RetryPolicy operators) {
    return new RetryPolicy(
        retries.orElse(operators.retries()),
        delay.orElse(operators.delay()),
        timeout.orElse(operators.timeout()));
  }
}

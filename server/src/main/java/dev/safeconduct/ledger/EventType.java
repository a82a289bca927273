package dev.safeconduct.ledger;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kinds of events that a webhook can subscribe to. */
public enum EventType {
  /**
   * A passport's status changed. It is the default, the only event of the public specification, and
   * delivered within the request that changes the status, never from the outbox.
   */
  STATUS_CHANGE("status_change"),
  /** An action waits for a person's approval. */
  APPROVAL_REQUESTED("approval.requested"),
  /** A person has approved or refused an action. */
  APPROVAL_DECIDED("approval.decided"),
  /** An agent was denied more often than {@code EVENT_DENY_SPIKE} within 10 minutes. */
  DENY_SPIKE("deny.spike"),
  /** A counted limit of an agent has reached 80 % or 100 %. */
  LIMIT_NEAR("limit.near"),
  /** An API key expires within 7 days. */
  KEY_EXPIRING("key.expiring"),
  /** All agents of an organization were halted, or resumed. */
  ORGANIZATION_HALTED("organization.halted"),
  /** Observe mode of an agent or of an organization began, was ended or has run out. */
  OBSERVE_MODE("observe.mode");

  private final String wire;

  EventType(String wire) {
    this.wire = wire;
  }

  /** Returns the name as requests, payloads and headers spell it. */
  public String wire() {
    return wire;
  }

  /** Returns all names, for people. */
  public static String names() {
    return Arrays.stream(values()).map(EventType::wire).collect(Collectors.joining(", "));
  }

  /** Finds a name, also {@code status.changed}, the other spelling of the status change. */
  public static Optional<EventType> parse(String text) {
    for (EventType type : values()) {
      if (type.wire.equals(text)) {
        return Optional.of(type);
      }
    }
    return text.equals("status.changed") ? Optional.of(STATUS_CHANGE) : Optional.empty();
  }
}

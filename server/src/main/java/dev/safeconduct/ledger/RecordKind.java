package dev.safeconduct.ledger;

import java.util.Optional;

/** The kind of event that an audit record describes. */
public enum RecordKind {
  DECISION("decision"),
  STATUS_CHANGE("status_change"),
  PASSPORT_ISSUED("passport_issued"),
  PASSPORT_UPDATED("passport_updated"),
  PASSPORT_CLAIMED("passport_claimed"),
  KEY_CREATED("key_created"),
  KEY_UPDATED("key_updated"),
  KEY_REVOKED("key_revoked"),
  KEY_ROTATED("key_rotated"),
  RESERVATION_COMMITTED("reservation_committed"),
  RESERVATION_RELEASED("reservation_released"),
  APPROVAL_ANSWERED("approval_answered"),
  LOGIN("login"),
  WEBHOOK_CHANGED("webhook_changed"),
  POLICY_CHANGED("policy_changed"),
  CONFIG("config"),
  /** A tool's use that an agent's hook reports and no policy evaluates. */
  HOOK_CALL("hook_call"),
  /** An erasure of other records' contents. */
  ERASURE("erasure");

  private final String wire;

  RecordKind(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }

  public static Optional<RecordKind> parse(String text) {
    for (RecordKind kind : values()) {
      if (kind.wire.equals(text)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}

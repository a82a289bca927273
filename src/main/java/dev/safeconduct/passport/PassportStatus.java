package dev.safeconduct.passport;

import java.util.Optional;

/** A passport's place in its life; only an active one is ever allowed anything. */
public enum PassportStatus {
  DRAFT("draft"),
  ACTIVE("active"),
  SUSPENDED("suspended"),
  REVOKED("revoked");

  private final String wire;

  PassportStatus(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }

  public static Optional<PassportStatus> parse(String text) {
    for (PassportStatus status : values()) {
      if (status.wire.equals(text)) {
        return Optional.of(status);
      }
    }
    return Optional.empty();
  }

  /** Whether the move is possible; staying is. A revoked passport never comes back. */
  public boolean mayBecome(PassportStatus next) {
    return this == next
        || switch (this) {
          case DRAFT -> next == ACTIVE || next == REVOKED;
          case ACTIVE -> next == SUSPENDED || next == REVOKED;
          case SUSPENDED -> next == ACTIVE || next == REVOKED;
          case REVOKED -> false;
        };
  }
}

package dev.safeconduct.identity;

import java.util.Optional;

/** The status of a passport; only an active one can be allowed anything. */
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

  /**
   * Returns whether the transition is possible; no change is. A revoked passport remains revoked.
   */
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

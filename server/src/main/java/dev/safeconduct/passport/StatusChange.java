package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import java.time.Instant;

/**
 * The result of a status change.
 *
 * @param updatedAt when the status was last changed; an earlier time if nothing changed
 * @param changed whether the status changed now; false if the passport already had it
 */
public record StatusChange(
    AgentId agent,
    OrgId owner,
    PassportStatus previous,
    PassportStatus status,
    Instant updatedAt,
    boolean changed) {
  /** Returns the sentence that the public specification defines. */
  public String message() {
    return "Agent status updated from '" + previous.wire() + "' to '" + status.wire() + "'";
  }
}

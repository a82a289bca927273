package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;

/**
 * What became of a passport's status.
 *
 * @param updatedAt when the status was last changed; an old time when nothing changed
 * @param changed whether it moved now; false when it had that status already
 */
public record StatusChange(
    AgentId agent,
    OrgId owner,
    PassportStatus previous,
    PassportStatus status,
    Instant updatedAt,
    boolean changed) {
  /** The sentence the public specification fixes. */
  public String message() {
    return "Agent status updated from '" + previous.wire() + "' to '" + status.wire() + "'";
  }
}

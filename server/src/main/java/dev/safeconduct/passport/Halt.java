package dev.safeconduct.passport;

import dev.safeconduct.identity.OrgId;
import java.time.Instant;

/**
 * A stop of all agents of an organization: every decision about them is a deny until it is resumed.
 *
 * @param org the organization, or {@link #ALL}
 * @param reason why, in the words of who halted it
 * @param byOperator whether an operator halted it; then only an operator may resume it. An
 *     organization may have a halt of its own beside it
 */
public record Halt(OrgId org, String reason, boolean byOperator, Instant since) {
  /** Stands for every organization of the service. */
  public static final OrgId ALL = new OrgId("*");

  public boolean ofAll() {
    return org.equals(ALL);
  }
}

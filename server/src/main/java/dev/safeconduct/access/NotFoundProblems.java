package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.text.Excerpt;
import java.util.Map;

/**
 * The 404 for resources the caller cannot see. It is the same whether the resource does not exist
 * or belongs to another organization.
 */
public final class NotFoundProblems {
  private static final int SHOWN = 128;

  private NotFoundProblems() {}

  public static ProblemException organization(String id) {
    return notFound("organization", "org_id", id);
  }

  static ProblemException key(String id) {
    return notFound("key", "key_id", id);
  }

  public static ProblemException webhook(String id) {
    return notFound("webhook", "webhook_id", id);
  }

  public static ProblemException delivery(String id) {
    return notFound("delivery", "delivery_id", id);
  }

  public static ProblemException passport(AgentId id) {
    return passport(id.value());
  }

  /** Returns the 404 for text that may not be a valid agent id. */
  public static ProblemException passport(String id) {
    return notFound("passport", "agent_id", id);
  }

  private static ProblemException notFound(String what, String member, String id) {
    String shown = Excerpt.clip(id, SHOWN);
    return ProblemException.notFound(
        "No " + what + " " + shown + " is known.", what + "_not_found", Map.of(member, shown));
  }
}

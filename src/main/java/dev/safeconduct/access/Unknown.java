package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.Map;

/**
 * The 404 for what is not known to the caller; the same whether the thing does not exist or is
 * another organization's.
 */
public final class Unknown {
  private static final int SHOWN = 128;

  private Unknown() {}

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

  /** For text that need not be an agent id at all. */
  public static ProblemException passport(String id) {
    return notFound("passport", "agent_id", id);
  }

  private static ProblemException notFound(String what, String member, String id) {
    String shown = id.length() <= SHOWN ? id : id.substring(0, SHOWN) + "…";
    return new Problem.NotFound(
            "No " + what + " " + shown + " is known.", what + "_not_found", Map.of(member, shown))
        .toException();
  }
}

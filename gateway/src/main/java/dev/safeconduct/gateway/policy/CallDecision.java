package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a request may reach the server. */
public sealed interface CallDecision {
  /**
   * It may, now and once.
   *
   * @param decisionId the signed decision of the policy of MCP tools
   * @param mapped the signed decisions of the tool's mappings, in their order
   */
  record Allowed(String decisionId, List<String> mapped) implements CallDecision {
    public Allowed {
      mapped = List.copyOf(mapped);
    }
  }

  /**
   * It may not.
   *
   * @param code reason code of the decision, or one of the gateway's own, {@code gateway.…}
   * @param reason one sentence
   * @param isHidden whether the name alone denies it, so that lists do not have it
   * @param decisionId the signed decision; null if the gateway itself refuses
   * @param approval what a person can still approve
   */
  record Denied(
      String code,
      String reason,
      boolean isHidden,
      @Nullable String decisionId,
      Decision.@Nullable Approval approval)
      implements CallDecision {}

  /** There is no decision. */
  record Unavailable() implements CallDecision {}
}

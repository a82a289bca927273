package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Decision;
import org.jspecify.annotations.Nullable;

/** Whether a request may reach the server. */
public sealed interface CallDecision {
  /**
   * It may, now and once.
   *
   * @param decisionId the signed decision
   */
  record Allowed(String decisionId) implements CallDecision {}

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

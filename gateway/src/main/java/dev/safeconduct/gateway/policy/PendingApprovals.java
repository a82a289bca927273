package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Decision;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Approvals that persons were asked for, by question, so that the same call can use them. */
final class PendingApprovals {
  private static final int MAX = 100;

  /** Ids of approvals that may have been given. */
  private final Map<String, String> byQuestion =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX;
        }
      };

  synchronized @Nullable String get(String question) {
    return byQuestion.get(question);
  }

  /** Remembers what the decision waits for; forgets an approval that was used, refused or ended. */
  synchronized void note(String question, Decision decision) {
    Decision.Approval approval = decision.approval();
    if (approval != null && decision.isApprovalRequired()) {
      byQuestion.put(question, approval.approvalId());
    } else if (decision.decisionId() != null) {
      byQuestion.remove(question);
    }
  }
}

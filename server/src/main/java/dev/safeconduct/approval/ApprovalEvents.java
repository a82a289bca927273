package dev.safeconduct.approval;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.EventType;
import java.util.Optional;

/** What webhooks hear of approvals: never the requested action itself. */
final class ApprovalEvents {
  private ApprovalEvents() {}

  static Event requested(Approval approval) {
    return event(EventType.APPROVAL_REQUESTED, approval, "pending", Optional.empty());
  }

  static Event decided(Approval approval, Approval.Answer answer) {
    return event(
        EventType.APPROVAL_DECIDED,
        approval,
        answer.approved() ? "approved" : "refused",
        Optional.of(answer.by()));
  }

  private static Event event(
      EventType type, Approval approval, String status, Optional<String> by) {
    return new Event(
        type,
        approval.org(),
        Optional.of(new AgentId(approval.agentId())),
        "/console/approvals/" + approval.id(),
        JsonObject.builder()
            .put("approval_id", approval.id())
            .put("status", status)
            .put("policy_id", approval.policyId())
            .put("decision_id", approval.decisionId().toString())
            .put("expires_at", IsoInstant.millis(approval.expiresAt()))
            .putIfPresent("decided_by", by)
            .build());
  }
}

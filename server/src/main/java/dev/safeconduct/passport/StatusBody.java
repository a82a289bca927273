package dev.safeconduct.passport;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.Optional;
import java.util.Set;

/** Reads requests for a status change and writes the responses. */
final class StatusBody {
  static final int MAX_REASON = 1000;
  private static final Set<String> MEMBERS = Set.of("agent_id", "status", "reason");

  private StatusBody() {}

  /** Reads a change from a body that names its agent. */
  static ChangeStatus.Move read(Members body) {
    body.only(MEMBERS);
    String agent =
        body.text("agent_id")
            .filter(text -> !text.isEmpty())
            .orElseThrow(() -> body.missing("agent_id"));
    return read(body, AgentId.hosted(agent).orElseThrow(() -> NotFoundProblems.passport(agent)));
  }

  /** Reads a change for the agent in the path; the body may repeat the same agent. */
  static ChangeStatus.Move read(Members body, AgentId agent) {
    body.only(MEMBERS);
    if (body.text("agent_id")
        .flatMap(AgentId::hosted)
        .filter(id -> !id.equals(agent))
        .isPresent()) {
      throw body.fault("agent_id", "agent_id names another agent than the path.");
    }
    String status = body.requiredText("status");
    return new ChangeStatus.Move(
        agent,
        status(body, status),
        body.prose("reason", MAX_REASON).filter(reason -> !reason.isEmpty()));
  }

  static PassportStatus status(Members body, String text) {
    return PassportStatus.parse(text)
        .orElseThrow(
            () -> body.fault("status", "status must be one of draft, active, suspended, revoked."));
  }

  /** Returns the response, with members in the order that the public specification defines. */
  static JsonObject answer(ChangeStatus.Moved moved) {
    StatusChange change = moved.change();
    return JsonObject.builder()
        .put("ok", true)
        .put("agent_id", change.agent().value())
        .put("status", change.status().wire())
        .put("previous_status", change.previous().wire())
        .put("updated_at", IsoInstant.millis(change.updatedAt()))
        .put("message", change.message())
        .put("webhook", webhook(moved.delivery()))
        .build();
  }

  static JsonObject webhook(StatusReceivers.Delivery delivery) {
    return JsonObject.builder()
        .put("sent", delivery.sent())
        .put("attempts", delivery.attempts())
        .putOrNull("error", delivery.error())
        .build();
  }

  /** Reads an assurance level. */
  static Optional<AssuranceLevel> assuranceLevel(Members body) {
    return body.text("assurance_level")
        .map(text ->
            AssuranceLevel.parse(text)
                .orElseThrow(() ->
                    body.fault(
                        "assurance_level",
                        "assurance_level must be one of L0, L1, L2, L3, L4KYC, L4FIN.")));
  }
}

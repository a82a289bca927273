package dev.safeconduct.approval;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Records a person's approval or refusal. API keys and the admin token cannot answer, because no
 * identified person is behind them.
 */
public final class AnswerApproval {
  private final Approvals approvals;
  private final Recorder recorder;
  private final Events events;

  public AnswerApproval(Approvals approvals, Recorder recorder, Events events) {
    this.approvals = approvals;
    this.recorder = recorder;
    this.events = events;
  }

  /** Returns the current time, for showing an approval's status. */
  Instant now() {
    return recorder.now();
  }

  /**
   * Returns the approval if the caller may see it.
   *
   * @throws dev.safeconduct.error.ProblemException 404 if the approval does not exist or the caller
   *     may not see it
   */
  Approval find(Caller caller, String id) {
    return Approval.decisionOf(id)
        .flatMap(decision -> approvals.find(Rights.of(caller).tenant(), decision))
        .orElseThrow(() ->
            ProblemException.notFound(
                "No such approval is known.",
                "approval_not_found",
                Map.of("approval_id", id.length() > 128 ? "" : id)));
  }

  /**
   * Stores the person's answer.
   *
   * @throws dev.safeconduct.error.ProblemException 403 if the caller is not a person, 404 as for
   *     {@link #find}, 409 if the approval is already answered or has expired
   */
  Approval run(Origin origin, String id, boolean approve, String comment) {
    Approval approval = find(origin.caller(), id);
    demandPerson(origin.caller());
    Instant now = recorder.now();
    var answer = new Approval.Answer(approve, origin.caller().name(), now, comment);
    JsonObject what =
        JsonObject.builder()
            .put("approval_id", approval.id())
            .put("decision_id", approval.decisionId().toString())
            .put("policy_id", approval.policyId())
            .put("change", approve ? "approved" : "refused")
            .putIfPresent("comment", Optional.of(comment).filter(text -> !text.isEmpty()))
            .build();
    boolean kept =
        approvals.answer(
            approval,
            answer,
            recorder.write(
                RecordKind.APPROVAL_ANSWERED,
                approval.org(),
                new AgentId(approval.agentId()),
                now,
                origin,
                what),
            events);
    Approval after = find(origin.caller(), id);
    if (!kept) {
      throw ProblemException.conflict(
          after.answer().isPresent()
              ? "It has been answered already."
              : "It is too late for an answer; the agent has to ask again.",
          "approval_" + after.status(now).wire());
    }
    return after;
  }

  private static void demandPerson(Caller caller) {
    boolean person =
        caller instanceof Caller.Person
            || (caller instanceof Caller.Admin(Optional<Caller.Person> behind, _)
                && behind.isPresent());
    if (!person) {
      throw ProblemException.forbidden(
          "Only a signed-in person approves or refuses; sign in to the console.");
    }
  }
}

package dev.safeconduct.verify;

import dev.safeconduct.approval.Approval;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.policy.PolicyPack;
import org.jspecify.annotations.Nullable;

/**
 * Writes the response. Clients read the decision at the top level or under {@code decision}, so it
 * is encoded once and written twice.
 */
public final class VerifyAnswer {
  private VerifyAnswer() {}

  /** Returns exactly the signed object, its log index and its signature. */
  static JsonWriter minimal(SignedDecision signed) {
    return stamped(signed).close();
  }

  /** Returns the signed object twice, and further members that some clients read. */
  static JsonWriter full(
      VerifyResult result, VerifyRequest question, @Nullable String proof, String baseUrl) {
    SignedDecision signed = result.signed();
    Decision decision = signed.decision();
    PolicyPack pack = result.judged().pack();
    byte[] trace = result.trace();
    JsonWriter answer = stamped(signed);
    int end = answer.length();
    answer.member("decision").again(0, end).close();
    answer.member("verified").bool(decision.allow());
    answer.member("reason").text(decision.reason().message());
    answer.member("request_id").text(question.sender().requestId());
    answer.member("policy").open();
    answer.member("id").text(pack.id().value());
    answer.member("name").text(pack.name());
    answer.member("version").text(pack.version()).close();
    passport(result, answer.member("passport"));
    if (question.reserve() && decision.allow()) {
      answer.member("reservation_id").text(Reservation.id(decision.id()));
      answer.member("reservation_expires_at").text(IsoInstant.millis(Reservation.until(decision)));
    }
    result.approval().ifPresent(waits -> answer.member("approval").value(approval(waits, baseUrl)));
    if (proof != null) {
      answer.member("proof").text(proof);
    }
    return answer.raw(trace).close();
  }

  /** Returns the response member about a waiting approval. */
  public static JsonObject approval(Approval approval, String baseUrl) {
    return JsonObject.builder()
        .put("approval_id", approval.id())
        .put("expires_at", IsoInstant.millis(approval.expiresAt()))
        .put("status_endpoint", baseUrl + "/api/approvals/" + approval.id())
        .put("approval_url", baseUrl + "/console/approvals/" + approval.id())
        .build();
  }

  /** The signed members, {@code log_index} and {@code signature}; the object is still open. */
  private static JsonWriter stamped(SignedDecision signed) {
    JsonWriter answer = JsonWriter.inOrder().open(signed.canonical());
    answer.member(DecisionJson.LOG_INDEX).number(signed.logIndex());
    return answer
        .member(DecisionJson.SIGNATURE)
        .base64(AuditRecord.SIGNATURE_PREFIX, signed.signature());
  }

  private static void passport(VerifyResult result, JsonWriter answer) {
    JudgedPassport passport = result.subject().passport();
    answer.open().member("agent_id").text(result.subject().agentId());
    passport.status().ifPresent(status -> answer.member("status").text(status));
    answer.member(DecisionJson.ASSURANCE_LEVEL).text(passport.levelOrLowest().wire()).close();
  }
}

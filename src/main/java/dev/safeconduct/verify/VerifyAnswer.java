package dev.safeconduct.verify;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.usage.Approval;
import dev.safeconduct.usage.Reservation;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answer: clients read the decision at the top level or under {@code decision}, so it is
 * encoded once and written twice.
 */
final class VerifyAnswer {
  /** About what the answer has beside the signed object, in bytes. */
  private static final int STAMP = 160;

  private static final int BESIDE = 512;

  private VerifyAnswer() {}

  /** Exactly the signed object, its place in the log and its signature. */
  static byte[] minimal(SignedDecision decision) {
    JsonWriter answer = JsonWriter.inOrder(decision.canonical().length + STAMP);
    return stamped(decision, answer).close().bytes();
  }

  /** The signed object twice, and beside it what some clients look for. */
  static byte[] full(
      Verified verified, VerifyRequest question, @Nullable String proof, String baseUrl) {
    SignedDecision decision = verified.decision();
    PolicyPack pack = verified.judged().pack();
    byte[] trace = verified.trace();
    JsonWriter answer =
        JsonWriter.inOrder(2 * (decision.canonical().length + STAMP) + BESIDE + trace.length);
    stamped(decision, answer).member("decision");
    stamped(decision, answer).close();
    answer.member("verified").bool(decision.allow());
    answer.member("reason").text(decision.reason());
    answer.member("request_id").text(question.requestId());
    answer.member("policy").open();
    answer.member("id").text(pack.id().value());
    answer.member("name").text(pack.name());
    answer.member("version").text(pack.version()).close();
    passport(verified, answer.member("passport"));
    if (question.reserve() && decision.allow()) {
      answer.member("reservation_id").text(Reservation.id(decision.id()));
      answer
          .member("reservation_expires_at")
          .text(IsoInstant.millis(ReservedCharges.until(decision)));
    }
    verified
        .approval()
        .ifPresent(waits -> answer.member("approval").value(approval(waits, baseUrl)));
    if (proof != null) {
      answer.member("proof").text(proof);
    }
    return answer.raw(trace).close().bytes();
  }

  /** What the caller is told of an approval that waits. */
  static JsonObject approval(Approval approval, String baseUrl) {
    return JsonObject.builder()
        .put("approval_id", approval.id())
        .put("expires_at", IsoInstant.millis(approval.expiresAt()))
        .put("status_endpoint", baseUrl + "/api/approvals/" + approval.id())
        .build();
  }

  /** The signed members, {@code log_index} and {@code signature}; the object is still open. */
  private static JsonWriter stamped(SignedDecision decision, JsonWriter answer) {
    answer.open(decision.canonical()).member("log_index").number(decision.logIndex());
    return answer.member("signature").text(signature(decision));
  }

  static String signature(SignedDecision decision) {
    return "ed25519:" + Base64.getEncoder().encodeToString(decision.signature());
  }

  private static void passport(Verified verified, JsonWriter answer) {
    JsonObject passport = verified.subject().passport();
    answer.open().member("agent_id").text(verified.subject().agentId());
    passport.string("status").ifPresent(status -> answer.member("status").text(status));
    answer.member("assurance_level").text(DecisionDocument.assurance(passport)).close();
  }
}

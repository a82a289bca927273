package dev.safeconduct.verify;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.usage.Approval;
import dev.safeconduct.usage.Reservation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answer: clients read the decision at the top level or under {@code decision}, so it is
 * encoded once and written twice.
 */
final class VerifyAnswer {
  private static final byte[] NESTED = ",\"decision\":".getBytes(StandardCharsets.US_ASCII);

  private VerifyAnswer() {}

  /** Exactly the signed object, its place in the log and its signature. */
  static byte[] minimal(SignedDecision decision) {
    byte[] stamp = stamp(decision);
    byte[] answer = Arrays.copyOf(decision.canonical(), decision.canonical().length + stamp.length);
    System.arraycopy(stamp, 0, answer, decision.canonical().length - 1, stamp.length);
    answer[answer.length - 1] = '}';
    return answer;
  }

  /** The signed object twice, and beside it what some clients look for. */
  static byte[] full(
      Verified verified, VerifyRequest question, @Nullable String proof, String baseUrl) {
    SignedDecision decision = verified.decision();
    JsonObject.Builder beside =
        JsonObject.builder()
            .put("verified", decision.allow())
            .put("reason", decision.reason())
            .put("request_id", question.requestId())
            .put(
                "policy",
                JsonObject.builder()
                    .put("id", verified.judged().pack().id().value())
                    .put("name", verified.judged().pack().name())
                    .put("version", verified.judged().pack().version())
                    .build())
            .put("passport", passport(verified));
    if (question.reserve() && decision.allow()) {
      beside
          .put("reservation_id", Reservation.id(decision.id()))
          .put("reservation_expires_at", IsoInstant.millis(ReservedCharges.until(decision)));
    }
    verified.approval().ifPresent(approval -> beside.put("approval", approval(approval, baseUrl)));
    if (proof != null) {
      beside.put("proof", proof);
    }
    byte[] flat = minimal(decision);
    byte[] rest = Json.bytes(beside.build());
    byte[] trace = verified.trace();
    int flatEnd = flat.length - 1;
    int nested = flatEnd + NESTED.length;
    int restStart = nested + flat.length;
    int restEnd = restStart + rest.length - 1;
    // {flat members,"decision":{flat members},the rest,"trace":[…]}
    byte[] answer = Arrays.copyOf(flat, restEnd + trace.length + 1);
    System.arraycopy(NESTED, 0, answer, flatEnd, NESTED.length);
    System.arraycopy(flat, 0, answer, nested, flat.length);
    System.arraycopy(rest, 0, answer, restStart, rest.length - 1);
    answer[restStart] = ',';
    System.arraycopy(trace, 0, answer, restEnd, trace.length);
    answer[answer.length - 1] = '}';
    return answer;
  }

  private static JsonObject approval(Approval approval, String baseUrl) {
    return JsonObject.builder()
        .put("approval_id", approval.id())
        .put("expires_at", IsoInstant.millis(approval.expiresAt()))
        .put("status_endpoint", baseUrl + "/api/approvals/" + approval.id())
        .build();
  }

  /** {@code log_index} and {@code signature} as they follow the signed members. */
  private static byte[] stamp(SignedDecision decision) {
    return (",\"log_index\":"
            + decision.logIndex()
            + ",\"signature\":\""
            + signature(decision)
            + '"')
        .getBytes(StandardCharsets.US_ASCII);
  }

  static String signature(SignedDecision decision) {
    return "ed25519:" + Base64.getEncoder().encodeToString(decision.signature());
  }

  private static JsonObject passport(Verified verified) {
    JsonObject passport = verified.subject().passport();
    JsonObject.Builder shown = JsonObject.builder().put("agent_id", verified.subject().agentId());
    JsonValue status = passport.get("status");
    if (status instanceof JsonString) {
      shown.put("status", status);
    }
    return shown.put("assurance_level", DecisionDocument.assurance(passport)).build();
  }
}

package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Check;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.usage.Approval;
import dev.safeconduct.usage.Reservation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
      Verified verified,
      VerifyRequest question,
      @Nullable String proof,
      Redaction redaction,
      String baseUrl) {
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
    if (question.explain() || !verified.judged().faults().isEmpty()) {
      beside.put("trace", trace(verified, redaction));
    }
    if (proof != null) {
      beside.put("proof", proof);
    }
    byte[] flat = minimal(decision);
    byte[] rest = Json.bytes(beside.build());
    int nested = flat.length - 1 + NESTED.length;
    // {flat members,"decision":{flat members},the rest}
    byte[] answer = Arrays.copyOf(flat, nested + flat.length + rest.length);
    System.arraycopy(NESTED, 0, answer, flat.length - 1, NESTED.length);
    System.arraycopy(flat, 0, answer, nested, flat.length);
    System.arraycopy(rest, 0, answer, nested + flat.length, rest.length);
    answer[nested + flat.length] = ',';
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

  private static JsonArray trace(Verified verified, Redaction redaction) {
    var checks = new ArrayList<JsonValue>();
    if (!verified.lifted().isEmpty()) {
      checks.add(
          JsonObject.builder()
              .put("check", "dialect")
              .put("passed", true)
              .put("lifted", JsonArray.ofStrings(verified.lifted()))
              .build());
    }
    for (Check check : verified.trace()) {
      checks.add(
          JsonObject.builder()
              .put("check", check.name())
              .put("passed", check.passed())
              .put("limits", redaction.of(check.limits()))
              .put("context", redaction.of(check.context()))
              .putAll(redaction.of(check.further()))
              .build());
    }
    return new JsonArray(checks);
  }
}

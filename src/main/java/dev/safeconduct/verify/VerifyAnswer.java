package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Check;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;

/**
 * Writes the answer: clients read the decision at the top level or under {@code decision}, so it is
 * encoded once and written twice.
 */
final class VerifyAnswer {
  private VerifyAnswer() {}

  /** Exactly the signed object, its place in the log and its signature. */
  static byte[] minimal(SignedDecision decision) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(decision.canonical().length + 160);
    out.write('{');
    out.writeBytes(members(decision));
    out.write('}');
    return out.toByteArray();
  }

  /** The signed object twice, and beside it what some clients look for. */
  static byte[] full(Verified verified, boolean explain, Redaction redaction, String requestId) {
    SignedDecision decision = verified.decision();
    byte[] members = members(decision);
    JsonObject.Builder beside =
        JsonObject.builder()
            .put("verified", decision.allow())
            .put("reason", decision.reason())
            .put("request_id", requestId)
            .put(
                "policy",
                JsonObject.builder()
                    .put("id", verified.judged().pack().id().value())
                    .put("name", verified.judged().pack().name())
                    .put("version", verified.judged().pack().version())
                    .build())
            .put("passport", passport(verified));
    if (explain || !verified.judged().faults().isEmpty()) {
      beside.put("trace", trace(verified, redaction));
    }
    byte[] rest = Json.bytes(beside.build());
    ByteArrayOutputStream out = new ByteArrayOutputStream(2 * members.length + rest.length + 32);
    out.write('{');
    out.writeBytes(members);
    out.writeBytes(ascii(",\"decision\":{"));
    out.writeBytes(members);
    out.writeBytes(ascii("},"));
    out.write(rest, 1, rest.length - 1);
    return out.toByteArray();
  }

  /** The members of the signed object, then {@code log_index} and {@code signature}; no braces. */
  private static byte[] members(SignedDecision decision) {
    byte[] canonical = decision.canonical();
    ByteArrayOutputStream out = new ByteArrayOutputStream(canonical.length + 160);
    out.write(canonical, 1, canonical.length - 2);
    out.writeBytes(ascii(",\"log_index\":" + decision.logIndex() + ",\"signature\":\""));
    out.writeBytes(ascii(signature(decision)));
    out.write('"');
    return out.toByteArray();
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
              .build());
    }
    return new JsonArray(checks);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

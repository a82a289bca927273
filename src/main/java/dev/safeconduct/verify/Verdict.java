package dev.safeconduct.verify;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;

/**
 * A decision that is signed and recorded, in few words.
 *
 * @param code of its first reason, for example {@code oap.limit_exceeded}
 * @param message of its first reason
 */
public record Verdict(
    String decisionId, boolean allow, String code, String message, String policyDigest) {

  static Verdict of(Verified verified) {
    JsonObject document = verified.decision().document();
    JsonArray reasons = document.array("reasons").orElse(JsonArray.EMPTY);
    JsonObject first =
        !reasons.isEmpty() && reasons.get(0) instanceof JsonObject reason
            ? reason
            : JsonObject.EMPTY;
    return new Verdict(
        document.string("decision_id").orElseThrow(),
        document.isTrue("allow"),
        first.string("code").orElse(""),
        first.string("message").orElse(""),
        document.string("policy_digest").orElseThrow());
  }
}

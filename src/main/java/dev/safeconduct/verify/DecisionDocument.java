package dev.safeconduct.verify;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.AssuranceLevel;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.UUID;

/** Puts an outcome into the words of a decision, ready to be signed. */
final class DecisionDocument {
  /** A suspension must bite within this many seconds even for those who cache an allow. */
  private static final int MAX_CACHE_SECONDS = 30;

  private DecisionDocument() {}

  static JsonObject of(
      UUID id,
      JudgedPack judged,
      Subject subject,
      String contextDigest,
      Outcome outcome,
      Reason reason,
      boolean dryRun,
      Instant now,
      String kid) {
    PolicyPack pack = judged.pack();
    boolean allow = outcome instanceof Outcome.Allow;
    int expiresIn =
        allow && !pack.stateful() && !dryRun ? Math.min(pack.cacheSeconds(), MAX_CACHE_SECONDS) : 0;
    JsonObject.Builder reasons =
        JsonObject.builder().put("code", reason.code()).put("message", reason.message());
    reason.rule().ifPresent(rule -> reasons.put("rule", rule));
    reasons.put("severity", allow ? "info" : "error");
    // In sorted order already, so that the canonical writer finds its work done.
    return JsonObject.builder()
        .put("agent_id", subject.agentId())
        .put("allow", allow)
        .put("assurance_level", assurance(subject.passport()))
        .put("context_digest", contextDigest)
        .put("created_at", IsoInstant.seconds(now))
        .put("decision_id", id.toString())
        .put("dry_run", dryRun)
        .put("expires_at", IsoInstant.seconds(now.plusSeconds(expiresIn)))
        .put("expires_in", expiresIn)
        .put("issued_at", IsoInstant.millis(now))
        .put("kid", kid)
        .put("owner_id", subject.org().value())
        .put("passport_digest", subject.digest())
        .put("passport_id", passportId(subject))
        .put("passport_source", subject.source())
        .put("policy_digest", pack.digest())
        .put("policy_id", pack.id().value())
        .put("policy_source", judged.source())
        .put("reasons", JsonArray.of(reasons.build()))
        .build();
  }

  /** A passport sent along may call itself anything; what is signed stays of a sane length. */
  private static String passportId(Subject subject) {
    return subject
        .passport()
        .string("passport_id")
        .filter(id -> id.length() <= AgentId.MAX_LENGTH)
        .orElse(subject.agentId());
  }

  /** The level judged by; a level nobody knows counts as none. */
  static String assurance(JsonObject passport) {
    return passport
        .string("assurance_level")
        .flatMap(AssuranceLevel::parse)
        .orElse(AssuranceLevel.L0)
        .wire();
  }
}

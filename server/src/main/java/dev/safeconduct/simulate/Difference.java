package dev.safeconduct.simulate;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A decision that the tried version would have made otherwise.
 *
 * @param body what is kept of it and shown
 */
record Difference(Kind kind, JsonObject body) {
  /** How the two outcomes differ. */
  enum Kind {
    WOULD_DENY,
    WOULD_ALLOW,
    OTHER_REASON;

    private final String wire = name().toLowerCase(Locale.ROOT);
  }

  /** The difference, if there is one; {@code redacted} takes secrets out of messages. */
  static Optional<Difference> between(
      ShadowEvaluation trial, Outcome tried, UnaryOperator<String> redacted) {
    boolean allowed = trial.decided() instanceof Outcome.Allow;
    boolean wouldAllow = tried instanceof Outcome.Allow;
    if (allowed == wouldAllow && trial.decided().reason().code().equals(tried.reason().code())) {
      return Optional.empty();
    }
    Kind kind =
        allowed == wouldAllow ? Kind.OTHER_REASON : allowed ? Kind.WOULD_DENY : Kind.WOULD_ALLOW;
    return Optional.of(
        new Difference(
            kind,
            JsonObject.builder()
                .put("decision_id", trial.decisionId().toString())
                .put("at", IsoInstant.millis(trial.input().at()))
                .put("agent_id", trial.input().subject().agentId())
                .put("difference", kind.wire)
                .put(
                    "active",
                    side(
                        trial.input().policy().pack().digest(), allowed, trial.decided(), redacted))
                .put(
                    "shadow",
                    side(trial.tried().digest(), wouldAllow, tried, redacted).toBuilder()
                        .put("version", trial.tried().version())
                        .build())
                .build()));
  }

  private static JsonObject side(
      String digest, boolean allow, Outcome outcome, UnaryOperator<String> redacted) {
    Reason reason = outcome.reason();
    return JsonObject.builder()
        .put("policy_digest", digest)
        .put("allow", allow)
        .put("code", reason.code())
        .put("message", redacted.apply(reason.message()))
        .putIfPresent("rule", reason.rule())
        .build();
  }
}

package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All a judgement depends on.
 *
 * @param passport the passport as it is judged
 * @param templateActive false when the passport is an instance of a template that is not active
 * @param context the context after dialects
 * @param contextFault what the dialects found contradictory in it, if anything
 * @param usage the counters as far as they are known; those not in it count as unused, which the
 *     commit checks
 * @param stateScope what the counters are kept under: organization, agent, pack
 * @param feeds what the operator reports of the world
 * @param explain whether to keep a trace
 * @param approved whether a person has approved exactly this
 */
public record DecisionRequest(
    PolicyPack pack,
    JsonObject passport,
    boolean templateActive,
    JsonObject context,
    Optional<String> contextFault,
    Usage usage,
    List<String> stateScope,
    Feeds feeds,
    Instant now,
    boolean explain,
    boolean approved) {
  public DecisionRequest {
    stateScope = List.copyOf(stateScope);
  }

  /** One that nobody has approved. */
  public DecisionRequest(
      PolicyPack pack,
      JsonObject passport,
      boolean templateActive,
      JsonObject context,
      Optional<String> contextFault,
      Usage usage,
      List<String> stateScope,
      Feeds feeds,
      Instant now,
      boolean explain) {
    this(
        pack,
        passport,
        templateActive,
        context,
        contextFault,
        usage,
        stateScope,
        feeds,
        now,
        explain,
        false);
  }

  /** The same action by another passport, with that one's counters. */
  public DecisionRequest by(JsonObject other, List<String> scope) {
    return new DecisionRequest(
        pack, other, true, context, contextFault, usage, scope, feeds, now, explain, approved);
  }
}

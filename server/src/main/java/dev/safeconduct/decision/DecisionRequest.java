package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The input of one evaluation. The evaluation depends on nothing else.
 *
 * @param usage the known counters; other counters count as unused, which the commit checks
 * @param feeds the external values that the operator reports
 * @param explain whether to record a trace with the compared values
 * @param approved whether a person has approved exactly this
 */
public record DecisionRequest(
    Agent agent,
    Context context,
    Usage usage,
    Feeds feeds,
    Instant now,
    boolean explain,
    boolean approved) {

  /**
   * The passport to evaluate, and the pack.
   *
   * @param compiled its permissions as this pack evaluates them
   * @param templateActive false when the passport is an instance of a template that is not active
   * @param counterScope the prefix of its counter keys: organization, agent, pack
   */
  public record Agent(
      JudgedPassport passport,
      PolicyPack pack,
      CompiledPermissions compiled,
      boolean templateActive,
      List<String> counterScope) {
    public Agent {
      counterScope = List.copyOf(counterScope);
    }
  }

  /**
   * The action's context after dialects.
   *
   * @param fault the reason why it cannot be evaluated, if its values contradict each other
   */
  public record Context(JsonObject value, Optional<String> fault) {
    /** A context without a fault. */
    public static Context of(JsonObject value) {
      return new Context(value, Optional.empty());
    }
  }
}

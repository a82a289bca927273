package dev.safeconduct.verify;

import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.ObserveRules;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.passport.Halt;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An action with all inputs of its evaluation, except counters and feeds.
 *
 * @param subject the acting agent
 * @param context as the pack evaluates it
 * @param contextFault the reason why the context cannot be evaluated, if its builder found a fault
 * @param explain whether to record the values that the checks compare
 * @param approved whether a person has approved exactly this
 * @param controls what decides besides passport and pack
 */
public record EvaluationInput(
    JudgedPack policy,
    Subject subject,
    EvaluatedContext context,
    Optional<String> contextFault,
    Instant at,
    boolean explain,
    boolean approved,
    Controls controls) {
  /** Returns a simulated action. The passport is evaluated as a hosted passport. */
  public static EvaluationInput simulated(
      PolicyPack pack,
      JudgedPassport passport,
      TemplateChain templates,
      JsonObject context,
      Optional<String> contextFault,
      Instant at) {
    return new EvaluationInput(
        JudgedPack.of(pack, true, List.of()),
        Subject.simulated(passport, templates),
        EvaluatedContext.of(pack, context),
        contextFault,
        at,
        true,
        false,
        Controls.NONE);
  }

  /** Returns the decision request for one passport, the agent's own or a template's. */
  DecisionRequest request(
      JudgedPassport passport,
      CompiledPermissions compiled,
      boolean templateActive,
      String agentId,
      Usage usage,
      Feeds feeds) {
    List<String> counterScope =
        List.of(
            subject.source().wire(),
            subject.org().value(),
            agentId,
            policy.source().wire(),
            policy.pack().id().value());
    return new DecisionRequest(
        new DecisionRequest.Agent(passport, policy.pack(), compiled, templateActive, counterScope),
        new DecisionRequest.Context(context.context(), contextFault.or(context::fault)),
        usage,
        feeds,
        at,
        explain,
        approved);
  }

  /** Returns the deny for every action of a halted organization. */
  Optional<Outcome> halted() {
    return controls
        .halt()
        .map(stop ->
            Outcome.Deny.unchecked(
                Reason.of(
                    ReasonCode.ORGANIZATION_HALTED,
                    stop.ofAll()
                        ? "Every organization is halted; an operator has to resume them."
                        : "Every agent of the organization is halted; "
                            + (stop.byOperator() ? "an operator" : "an owner or admin")
                            + " has to resume it."),
                List.of()));
  }

  /** Returns the same action without observe mode, for evaluations that nobody acts on. */
  EvaluationInput enforced() {
    return controls.observe().isEmpty()
        ? this
        : new EvaluationInput(
            policy, subject, context, contextFault, at, explain, approved, controls.enforced());
  }

  /** Returns the same action after a person's approval. */
  public EvaluationInput withApproval() {
    return new EvaluationInput(policy, subject, context, contextFault, at, explain, true, controls);
  }

  /**
   * Returns the same action under another pack; empty if it depends on a hosted passport that was
   * not read. An AuthZEN request gets the other pack's form.
   *
   * @param sent the sent context, because the other pack may declare other fields and subjects
   */
  public Optional<EvaluationInput> by(PolicyPack other, JsonObject sent) {
    Optional<SentEntities.Form> form = subject.form(other);
    return subject
        .under(other)
        .map(judged ->
            new EvaluationInput(
                JudgedPack.of(other, true, List.of()),
                judged,
                EvaluatedContext.of(other, form.map(SentEntities.Form::context).orElse(sent)),
                form.map(SentEntities.Form::fault).orElse(contextFault),
                at,
                explain,
                false,
                controls.enforced()));
  }

  /**
   * What decides besides passport and pack.
   *
   * @param halt what stops all agents of the organization; then every outcome is a deny
   * @param observe what observe mode lifts; empty if the agent is not observed, or not for this
   *     pack
   */
  public record Controls(Optional<Halt> halt, Optional<ObserveRules> observe) {
    /** Neither a halt nor observe mode. */
    public static final Controls NONE = new Controls(Optional.empty(), Optional.empty());

    /** Returns the same without observe mode, for evaluations that nobody acts on. */
    Controls enforced() {
      return observe.isEmpty() ? this : new Controls(halt, Optional.empty());
    }
  }
}

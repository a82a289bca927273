package dev.safeconduct.simulate;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.SentEntities;
import dev.safeconduct.verify.SentSubject;
import dev.safeconduct.verify.TemplateChain;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A case that was run.
 *
 * @param steps what became of each step
 */
public record CaseRun(PolicyCase said, List<StepRun> steps) {
  public CaseRun {
    steps = List.copyOf(steps);
  }

  /**
   * A step that was run.
   *
   * @param outcome what the pack decided, with the checks it made
   * @param faults how that differs from what is expected
   */
  public record StepRun(Outcome outcome, List<String> faults) {
    public StepRun {
      faults = List.copyOf(faults);
    }
  }

  /** Whether everything was as expected. */
  public boolean passed() {
    return steps.stream().allMatch(step -> step.faults().isEmpty());
  }

  public static CaseRun of(PolicyCase said, PolicyPack pack, PolicyDecisionPoint decisionPoint) {
    var evaluator = new CaseEvaluator(pack, new Evaluator(decisionPoint, said::feeds));
    var steps = new ArrayList<StepRun>();
    Instant at = said.at();
    Optional<JsonObject> passport = said.passport();
    for (PolicyCase.Step step : said.steps()) {
      at = at.plus(step.after());
      passport = step.passport().isPresent() ? step.passport() : passport;
      JsonObject used =
          passport
              .or(() -> SentSubject.of(step.context()).map(subject -> subject.passport(pack)))
              .orElseThrow();
      SentEntities.Form form =
          step.entities()
              .map(entities -> entities.form(pack))
              .orElse(new SentEntities.Form(step.context(), Optional.empty()));
      Outcome outcome =
          evaluator.evaluate(
              new CaseEvaluator.Question(
                  JudgedPassport.of(used), TemplateChain.NONE, form.context(), form.fault(), at),
              new CaseEvaluator.StepLimit());
      evaluator.charge(outcome);
      steps.add(new StepRun(outcome, faults(step, outcome)));
    }
    return new CaseRun(said, steps);
  }

  private static List<String> faults(PolicyCase.Step said, Outcome outcome) {
    var faults = new ArrayList<String>();
    boolean allow = outcome instanceof Outcome.Allow;
    Reason reason = outcome.reason();
    if (said.allow().isPresent() && said.allow().get() != allow) {
      faults.add(
          "expected " + (said.allow().get() ? "an allow" : "a deny") + ", was " + shown(outcome));
    } else if (said.code().isPresent() && !said.code().get().equals(reason.code())) {
      faults.add("expected " + said.code().get() + ", was " + shown(outcome));
    }
    if (faults.isEmpty() && said.rule().isPresent() && !said.rule().equals(reason.rule())) {
      faults.add(
          "expected the rule %s to deny, was %s"
              .formatted(said.rule().get(), reason.rule().orElse("none")));
    }
    return faults;
  }

  /** The outcome on one line. */
  public static String shown(Outcome outcome) {
    Reason reason = outcome.reason();
    Optional<String> rule = reason.rule();
    return "%s, %s%s: %s"
        .formatted(
            outcome instanceof Outcome.Allow ? "an allow" : "a deny",
            reason.code(),
            rule.map(name -> " by " + name).orElse(""),
            reason.message());
  }
}

package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.verify.Controls;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.JudgedPack;
import dev.safeconduct.verify.Subject;
import dev.safeconduct.verify.TemplateChain;
import java.util.List;
import java.util.Optional;

/**
 * Evaluates recorded actions for one version of a passport, as if it were active and a person had
 * approved them: neither is a matter of capabilities and limits.
 */
final class Judge {
  private final Evaluator evaluator;
  private final MemoryCounters counters;
  private final Subject subject;

  /**
   * Creates a judge.
   *
   * @param counters which several judges may share
   * @param document the version of the passport
   */
  Judge(Evaluator evaluator, MemoryCounters counters, Passport passport, JsonObject document) {
    this.evaluator = evaluator;
    this.counters = counters;
    JsonObject active =
        document
            .with(JudgedPassport.STATUS, new JsonString("active"))
            .with(JudgedPassport.NEVER_EXPIRES, JsonBoolean.TRUE);
    subject =
        new Subject(
            passport.owner(),
            passport.agentId().value(),
            Decision.Source.REGISTRY,
            JudgedPassport.of(active),
            CanonicalJson.digest(active),
            TemplateChain.NONE,
            List.of(),
            Optional.empty());
  }

  Outcome outcome(Evidence.Item.Known item, boolean explain) {
    return evaluator
        .settle(
            new EvaluationInput(
                new JudgedPack(
                    item.pack(),
                    Decision.Source.REGISTRY,
                    List.of(),
                    Optional.empty(),
                    Optional.empty()),
                subject,
                item.context(),
                Optional.empty(),
                item.at(),
                explain,
                true,
                Controls.NONE),
            counters,
            new Budget())
        .orElseThrow(() -> new IllegalStateException("the pack's counters never settle"));
  }
}

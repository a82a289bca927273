package dev.safeconduct.simulate;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.TemplateChain;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Evaluates recorded decisions again with a candidate. Its counters start empty a day before the
 * span, so that all but the longest windows are filled at its start. They are charged by the
 * candidate's own allows, except released ones.
 */
public final class Replay {
  /** How long before the span counters are filled. */
  public static final Duration LEAD = Duration.ofDays(1);

  private static final Set<String> CONTAINERS = Set.of("context", "params", "tool_params", "input");
  private static final int FORGET_EVERY = 10_000;

  private final PolicyPack pack;
  private final PackReads reads;
  private final DecisionHistory past;
  private final PassportHistory passports;
  private final CaseEvaluator evaluator;
  private Set<UUID> released = Set.of();
  private long seen;

  public Replay(PolicyPack pack, DecisionHistory past, PolicyDecisionPoint decisionPoint) {
    this.pack = pack;
    this.reads = new PackReads(pack);
    this.past = past;
    this.passports = new PassportHistory(past, reads);
    this.evaluator = new CaseEvaluator(pack, new Evaluator(decisionPoint, () -> Feeds.NONE));
  }

  /** The result for one recorded decision. */
  public sealed interface Judged {
    StoredRecord record();

    /** The candidate decides the same; {@code sameCode}: for the same reason. */
    record Same(StoredRecord record, Outcome outcome, boolean sameCode) implements Judged {}

    /** The candidate would have decided otherwise. */
    record Flips(StoredRecord record, Outcome outcome) implements Judged {}

    /** It cannot be said what the candidate would have decided. */
    record NotReplayable(StoredRecord record, String why) implements Judged {}
  }

  /** Evaluates the decisions of the span, in the order of the log. */
  public void run(DecisionHistory.Span span, Consumer<Judged> each) {
    DecisionHistory.Span wide =
        new DecisionHistory.Span(span.org(), span.policyId(), span.from().minus(LEAD), span.to());
    released = past.released(wide);
    past.decisions(
        wide,
        record -> {
          Optional<Judged> judged = judged(record);
          if (judged.isPresent() && !record.entry().at().isBefore(span.from())) {
            each.accept(judged.get());
          }
          if (++seen % FORGET_EVERY == 0) {
            evaluator.forget(record.entry().at());
          }
        });
  }

  /** Empty for dry runs, and for packs that came with the request and only share the id. */
  private Optional<Judged> judged(StoredRecord stored) {
    AuditRecord entry = stored.entry();
    Optional<Decision> read = DecisionJson.read(entry.body());
    Optional<JsonObject> details = details(entry);
    if (read.isEmpty() || details.isEmpty()) {
      return Optional.of(new Judged.NotReplayable(stored, "the record was erased"));
    }
    Decision decision = read.get();
    if (decision.validity().dryRun() || decision.policy().source() == Decision.Source.REQUEST) {
      return Optional.empty();
    }
    Optional<JsonObject> context = details.get().object("context");
    if (context.isEmpty()) {
      return Optional.of(new Judged.NotReplayable(stored, "the context is not recorded"));
    }
    Optional<String> missing = missing(context.get(), decision);
    if (missing.isPresent()) {
      return Optional.of(new Judged.NotReplayable(stored, missing.get()));
    }
    if (decision.agent().source() == Decision.Source.REQUEST) {
      return Optional.of(
          new Judged.NotReplayable(
              stored, "the passport came with the request and is not recorded"));
    }
    AgentId agent = new AgentId(decision.agent().agentId());
    return Optional.of(
        switch (passports.find(agent, decision.agent().digest())) {
          case PassportHistory.Found.Gone<JudgedPassport>(String why) ->
              new Judged.NotReplayable(stored, why);
          case PassportHistory.Found.Known<JudgedPassport>(JudgedPassport passport) ->
              compared(
                  stored,
                  decision,
                  passport,
                  passports.templates(agent, stored.logIndex()),
                  context.get());
        });
  }

  private static Optional<JsonObject> details(AuditRecord entry) {
    try {
      return Optional.of(Json.parseObject(entry.details()));
    } catch (JsonFault e) {
      return Optional.empty();
    }
  }

  /** Which field the pack reads that redaction has touched. */
  private Optional<String> missing(JsonObject context, Decision decision) {
    List<String> touched = Redacted.fields(context, decision.contextDigest());
    for (String field : touched) {
      if (Redacted.isUnknown(field)) {
        return Optional.of("redaction touched fields that are not known any more");
      }
      boolean lifted = CONTAINERS.contains(field) && !pack.contextSchema().declares(field);
      if (lifted || reads.reads(field)) {
        return Optional.of("redaction touched context." + field + ", which the pack reads");
      }
    }
    return Optional.empty();
  }

  private Judged compared(
      StoredRecord stored,
      Decision decision,
      JudgedPassport passport,
      PassportHistory.Found<TemplateChain> templates,
      JsonObject context) {
    TemplateChain chain =
        switch (templates) {
          case PassportHistory.Found.Known<TemplateChain>(TemplateChain known) -> known;
          // A deny by the instance's own passport needs no template.
          case PassportHistory.Found.Gone<TemplateChain> _ ->
              new TemplateChain(wasActive(decision, passport), List.of());
        };
    Outcome outcome =
        evaluator.evaluate(
            new CaseEvaluator.Question(passport, chain, context, decision.validity().issuedAt()));
    if (templates instanceof PassportHistory.Found.Gone<TemplateChain>(String why)
        && outcome.isAllow()) {
      return new Judged.NotReplayable(stored, why);
    }
    boolean byFeed = reads.byFeed(outcome.reason()) || reads.byFeed(decision.reason().code());
    boolean flips = decision.allow() != outcome.isAllow();
    if (byFeed && flips) {
      return new Judged.NotReplayable(
          stored, "what the operator had reported then is not recorded");
    }
    if (!released.contains(decision.id())) {
      evaluator.charge(outcome);
    }
    return flips
        ? new Judged.Flips(stored, outcome)
        : new Judged.Same(
            stored, outcome, decision.reason().code().equals(outcome.reason().code()));
  }

  /** Whether templates that are not known were active, as far as the decision tells. */
  private static boolean wasActive(Decision decision, JudgedPassport passport) {
    return decision.allow()
        || !ReasonCode.PASSPORT_SUSPENDED.is(decision.reason().code())
        || !passport.status().equals(Optional.of("active"));
  }
}

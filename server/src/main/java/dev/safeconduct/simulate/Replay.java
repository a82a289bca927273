package dev.safeconduct.simulate;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.PassportHistory.Found;
import dev.safeconduct.simulate.PassportHistory.Found.Gone;
import dev.safeconduct.simulate.PassportHistory.Found.Known;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.RecordDetails;
import dev.safeconduct.verify.SentEntities;
import dev.safeconduct.verify.SentEntities.Form;
import dev.safeconduct.verify.SentSubject;
import dev.safeconduct.verify.TemplateChain;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Evaluates recorded decisions again with a candidate. Its counters start empty a day before the
 * span, so that all but the longest windows are filled at its start. They are charged by the
 * candidate's own allows, released ones until their release.
 */
public final class Replay {
  /** How long before the span counters are filled. */
  public static final Duration LEAD = Duration.ofDays(1);

  private static final int FORGET_EVERY = 10_000;

  private final PolicyPack pack;
  private final Map<AgentId, JudgedPassport> candidates;
  private final PackReads reads;
  private final DecisionHistory past;
  private final PassportHistory passports;
  private final CaseEvaluator evaluator;
  private Map<UUID, Instant> released = Map.of();
  private long seen;

  public Replay(PolicyPack pack, DecisionHistory past, PolicyDecisionPoint decisionPoint) {
    this(pack, Map.of(), past, decisionPoint);
  }

  /** {@code candidates}: passports, templates too, to evaluate with in place of earlier ones. */
  Replay(
      PolicyPack pack,
      Map<AgentId, JudgedPassport> candidates,
      DecisionHistory past,
      PolicyDecisionPoint decisionPoint) {
    this.pack = pack;
    this.candidates = candidates;
    this.reads = new PackReads(pack);
    this.past = past;
    this.passports = new PassportHistory(past, reads);
    this.evaluator = new CaseEvaluator(pack, new Evaluator(decisionPoint, () -> Feeds.NONE));
  }

  /** The result for one recorded decision. */
  public sealed interface Comparison {
    StoredRecord record();

    /** The candidate decides the same; {@code sameCode}: for the same reason. */
    record Same(StoredRecord record, Outcome outcome, boolean sameCode) implements Comparison {}

    /** The candidate would have decided otherwise. */
    record Flips(StoredRecord record, Outcome outcome) implements Comparison {}

    /** It cannot be said what the candidate would have decided. */
    record NotReplayable(StoredRecord record, String why) implements Comparison {}
  }

  /** Evaluates the decisions of the span, in the order of the log. */
  public void run(DecisionHistory.Span span, Consumer<Comparison> each) {
    DecisionHistory.Span wide =
        new DecisionHistory.Span(span.org(), span.policyId(), span.from().minus(LEAD), span.to());
    released = past.released(wide);
    past.decisions(
        wide,
        record -> {
          Optional<Comparison> comparison = compare(record);
          if (comparison.isPresent() && !record.entry().at().isBefore(span.from())) {
            each.accept(comparison.get());
          }
          if (++seen % FORGET_EVERY == 0) {
            evaluator.forget(record.entry().at());
          }
        });
  }

  /** Empty for dry runs, and for packs that came with the request and only share the id. */
  private Optional<Comparison> compare(StoredRecord stored) {
    AuditRecord entry = stored.entry();
    Optional<Decision> read = DecisionJson.read(entry.body());
    Optional<JsonObject> details = Json.kept(entry.details());
    if (read.isEmpty() || details.isEmpty()) {
      return notReplayable(stored, "the record was erased");
    }
    Decision decision = read.get();
    if (decision.validity().dryRun() || decision.policy().source() == Decision.Source.REQUEST) {
      return Optional.empty();
    }
    Optional<JsonObject> context = details.get().object("context");
    if (context.isEmpty()) {
      return notReplayable(stored, "the context is not recorded");
    }
    RecordedContext recorded = RecordedContext.of(context.get(), decision, pack, reads);
    if (recorded.missing().isPresent()) {
      return notReplayable(stored, recorded.missing().get());
    }
    JsonObject fromPack = details.get().child(RecordDetails.PACK_PROPERTIES);
    JsonObject ignored = details.get().child(RecordDetails.IGNORED_PROPERTIES);
    JsonObject sent = AccessModel.sent(context.get(), fromPack, ignored);
    if (!provides(sent, ignored)) {
      return notReplayable(
          stored, "a property of the caller that the pack ignored then is not recorded");
    }
    Optional<String> authzen = details.get().string(RecordDetails.AUTHZEN);
    boolean model = pack.model().isPresent();
    if (authzen.isPresent() && authzen.get().equals(RecordDetails.ENTITIES) != model) {
      if (model) {
        return notReplayable(
            stored, "which properties were the action's and the resource's is not recorded");
      }
      if (!CanonicalJson.digest(context.get()).equals(decision.contextDigest())) {
        return notReplayable(
            stored, "properties of the entities are not recorded, and the pack may read them");
      }
    }
    Form form =
        authzen
            .filter(RecordDetails.ENTITIES::equals)
            .flatMap(_ -> SentEntities.in(sent))
            .map(entities -> entities.candidateForm(pack))
            .orElse(new Form(sent, Optional.empty()));
    if (decision.agent().source() != Decision.Source.REGISTRY) {
      return Optional.of(named(stored, decision, sent, form));
    }
    AgentId agent = new AgentId(decision.agent().agentId());
    return Optional.of(
        switch (passport(agent, decision)) {
          case Gone<JudgedPassport>(String why) -> new Comparison.NotReplayable(stored, why);
          case Known<JudgedPassport>(JudgedPassport passport) ->
              compared(stored, decision, passport, templates(agent, stored.logIndex()), form);
        });
  }

  private static Optional<Comparison> notReplayable(StoredRecord stored, String why) {
    return Optional.of(new Comparison.NotReplayable(stored, why));
  }

  private Found<JudgedPassport> passport(AgentId agent, Decision decision) {
    JudgedPassport candidate = candidates.get(agent);
    return candidate == null
        ? passports.find(agent, decision.agent().digest())
        : new Known<>(candidate);
  }

  private Found<TemplateChain> templates(AgentId agent, long record) {
    Found<TemplateChain> found = passports.templates(agent, record);
    return !candidates.isEmpty() && found instanceof Known<TemplateChain>(TemplateChain chain)
        ? new Known<>(
            new TemplateChain(
                chain.active(), chain.templates().stream().map(this::candidate).toList()))
        : found;
  }

  private TemplateChain.Template candidate(TemplateChain.Template template) {
    JudgedPassport candidate = candidates.get(new AgentId(template.agentId()));
    return candidate == null
        ? template
        : new TemplateChain.Template(template.agentId(), candidate, template.digest());
  }

  /** Whether the pack ignores these properties of the caller, too. */
  private boolean provides(JsonObject sent, JsonObject ignored) {
    JsonObject now = EvaluatedContext.of(pack, sent).completed().ignored();
    return ignored.names().stream()
        .allMatch(member -> now.texts(member).containsAll(ignored.texts(member)));
  }

  /** Evaluates a decision about a subject without a hosted passport, which the context names. */
  private Comparison named(StoredRecord stored, Decision decision, JsonObject sent, Form form) {
    Optional<SentSubject> subject =
        SentSubject.of(sent)
            .filter(asked ->
                decision.agent().source() == Decision.Source.PACK
                    || CanonicalJson.digest(asked.described()).equals(decision.agent().digest()));
    if (subject.isEmpty()) {
      return new Comparison.NotReplayable(
          stored, "the passport came with the request and is not recorded");
    }
    if (!subject.get().isDeterminedBy(pack)) {
      return new Comparison.NotReplayable(
          stored, "the pack does not list the subject, and a hosted passport may be its own");
    }
    String code = decision.policyReason().code();
    if (decision.agent().source() == Decision.Source.PACK
        && (ReasonCode.PASSPORT_SUSPENDED.is(code) || ReasonCode.PASSPORT_EXPIRED.is(code))) {
      return new Comparison.NotReplayable(
          stored, "the passport of the listed agent as it was then is not recorded");
    }
    return compared(
        stored,
        decision,
        JudgedPassport.of(subject.get().passport(pack)),
        new Known<>(TemplateChain.NONE),
        form);
  }

  private Comparison compared(
      StoredRecord stored,
      Decision decision,
      JudgedPassport passport,
      Found<TemplateChain> templates,
      Form form) {
    TemplateChain chain =
        switch (templates) {
          case Known<TemplateChain>(TemplateChain known) -> known;
          // A deny by the instance's own passport needs no template.
          case Gone<TemplateChain> _ -> new TemplateChain(wasActive(decision, passport), List.of());
        };
    Outcome outcome =
        evaluator.evaluate(
            new CaseEvaluator.Question(
                passport, chain, form.context(), form.fault(), decision.validity().issuedAt()),
            new CaseEvaluator.StepLimit());
    if (templates instanceof Gone<TemplateChain>(String why) && outcome.isAllow()) {
      return new Comparison.NotReplayable(stored, why);
    }
    boolean byFeed = reads.byFeed(outcome.reason()) || reads.byFeed(decision.policyReason().code());
    boolean flips = decision.allowedByPolicy() != outcome.isAllow();
    if (byFeed && flips) {
      return new Comparison.NotReplayable(
          stored, "what the operator had reported then is not recorded");
    }
    evaluator.charge(outcome, Optional.ofNullable(released.get(decision.id())));
    return flips
        ? new Comparison.Flips(stored, outcome)
        : new Comparison.Same(
            stored, outcome, decision.policyReason().code().equals(outcome.reason().code()));
  }

  /** Whether templates that are not known were active, as far as the decision tells. */
  private static boolean wasActive(Decision decision, JudgedPassport passport) {
    return decision.allow()
        || !ReasonCode.PASSPORT_SUSPENDED.is(decision.reason().code())
        || !passport.status().equals(Optional.of("active"));
  }
}

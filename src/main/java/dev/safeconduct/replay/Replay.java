package dev.safeconduct.replay;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.cases.Rehearsal;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Judges recorded decisions again by a candidate. Its counters begin empty a day before the span,
 * so that every window but the longest is filled when the span begins, and are charged by what the
 * candidate itself allows, save what was given back.
 */
public final class Replay {
  /** How long before the span counters are filled. */
  public static final Duration LEAD = Duration.ofDays(1);

  private static final Set<String> CONTAINERS = Set.of("context", "params", "tool_params", "input");
  private static final int FORGET_EVERY = 10_000;

  private final PolicyPack pack;
  private final PackReads reads;
  private final Past past;
  private final Passports passports;
  private final Rehearsal rehearsal;
  private Set<UUID> released = Set.of();
  private long seen;

  public Replay(PolicyPack pack, Past past, PolicyDecisionPoint decisionPoint) {
    this.pack = pack;
    this.reads = new PackReads(pack);
    this.past = past;
    this.passports = new Passports(past);
    this.rehearsal = new Rehearsal(pack, decisionPoint);
  }

  /** What became of one recorded decision. */
  public sealed interface Judged {
    StoredRecord record();

    /** The candidate decides the same; {@code sameCode}: for the same reason. */
    record Same(StoredRecord record, Outcome outcome, boolean sameCode) implements Judged {}

    /** The candidate would have decided otherwise. */
    record Flips(StoredRecord record, Outcome outcome) implements Judged {}

    /** It cannot be said what the candidate would have decided. */
    record Unknown(StoredRecord record, String why) implements Judged {}
  }

  /** Judges the decisions of the span, in the order of the log. */
  public void run(Past.Span span, Consumer<Judged> each) {
    Past.Span wide = new Past.Span(span.org(), span.policyId(), span.from().minus(LEAD), span.to());
    released = past.released(wide);
    past.decisions(
        wide,
        record -> {
          Optional<Judged> judged = judged(record);
          if (judged.isPresent() && !record.entry().at().isBefore(span.from())) {
            each.accept(judged.get());
          }
          if (++seen % FORGET_EVERY == 0) {
            rehearsal.forget(record.entry().at());
          }
        });
  }

  /** Empty for dry runs, and for packs that came with the request and only share the id. */
  private Optional<Judged> judged(StoredRecord stored) {
    AuditRecord entry = stored.entry();
    JsonObject decision;
    JsonObject details;
    try {
      decision = Json.parseObject(entry.body());
      details = Json.parseObject(entry.details());
    } catch (JsonFault e) {
      return Optional.of(new Judged.Unknown(stored, "the record was erased"));
    }
    if (decision.isTrue("dry_run")
        || decision.string("policy_source").equals(Optional.of("request"))) {
      return Optional.empty();
    }
    Optional<JsonObject> context = details.object("context");
    if (context.isEmpty()) {
      return Optional.of(new Judged.Unknown(stored, "the context is not recorded"));
    }
    Optional<String> missing = missing(context.get(), decision);
    if (missing.isPresent()) {
      return Optional.of(new Judged.Unknown(stored, missing.get()));
    }
    if (decision.string("passport_source").equals(Optional.of("request"))) {
      return Optional.of(
          new Judged.Unknown(stored, "the passport came with the request and is not recorded"));
    }
    return Optional.of(
        switch (passport(entry, decision)) {
          case Passports.Found.Gone(String why) -> new Judged.Unknown(stored, why);
          case Passports.Found.Known known -> compared(stored, known, context.get(), entry.at());
        });
  }

  private Passports.Found passport(AuditRecord entry, JsonObject decision) {
    Optional<AgentId> agent = entry.agent();
    Optional<String> digest = decision.string("passport_digest");
    return agent.isPresent() && digest.isPresent()
        ? passports.find(agent.get(), digest.get(), reads.passport(), reads.wholePassport())
        : new Passports.Found.Gone("the record names no passport");
  }

  /** Which field the pack reads that redaction has touched. */
  private Optional<String> missing(JsonObject context, JsonObject decision) {
    List<String> touched = Redacted.fields(context, decision.string("context_digest").orElse(""));
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
      StoredRecord stored, Passports.Found.Known known, JsonObject context, Instant at) {
    AuditRecord entry = stored.entry();
    JsonObject passport = known.passport();
    boolean allowed = entry.allow().orElse(false);
    // That a template was not active then is known only from what was decided.
    boolean templateActive =
        allowed
            || !entry.code().equals(Optional.of("oap.passport_suspended"))
            || !passport.string("status").equals(Optional.of("active"));
    Outcome outcome =
        rehearsal.judge(new Rehearsal.Question(passport, templateActive, context, Feeds.NONE, at));
    if (known.instance() && outcome instanceof Outcome.Allow) {
      return new Judged.Unknown(
          stored, "the passport is an instance; its template as it was then is not looked at");
    }
    boolean byFeed =
        reads.byFeed(outcome.reason()) || entry.code().filter(reads::byFeed).isPresent();
    if (byFeed && allowed != outcome instanceof Outcome.Allow) {
      return new Judged.Unknown(stored, "what the operator had reported then is not recorded");
    }
    if (!released.contains(entry.id())) {
      rehearsal.charge(outcome);
    }
    if (allowed != outcome instanceof Outcome.Allow) {
      return new Judged.Flips(stored, outcome);
    }
    return new Judged.Same(
        stored, outcome, entry.code().equals(Optional.of(outcome.reason().code())));
  }
}

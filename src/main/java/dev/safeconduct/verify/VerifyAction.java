package dev.safeconduct.verify;

import dev.safeconduct.access.KeyStanding;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.feed.FeedCache;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.shadow.Trial;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.trace.Progress;
import dev.safeconduct.usage.Commit;
import dev.safeconduct.usage.Fence;
import dev.safeconduct.usage.IdempotencyClaim;
import dev.safeconduct.usage.Ledger;
import dev.safeconduct.usage.LedgerEntry;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Answers whether an agent may act: judged by the decision point, signed, durable in the audit log
 * together with what it charges, and only then returned.
 */
public final class VerifyAction {
  /** Judging again converges at once; this bounds what a storm of changes can cost one request. */
  private static final int MOST_ROUNDS = 32;

  private final PackResolver packs;
  private final SubjectResolver subjects;
  private final KeyStanding standing;
  private final FeedCache feeds;
  private final PolicyDecisionPoint decisionPoint;
  private final ChangeFeed changes;
  private final Ledger ledger;
  private final Supplier<Signer> signers;
  private final Redaction redaction;
  private final IdempotencyClaims claims;
  private final InstantSource clock;
  private final Supplier<UUID> recordIds;
  private final Consumer<Trial> trials;
  private final ApprovalGate approvals;
  private final DecisionCount counted;

  /**
   * All that deciding needs; see each part. {@code trials} takes what is tried as well, {@code
   * counted} hears of what was recorded.
   */
  public VerifyAction(
      PackResolver packs,
      SubjectResolver subjects,
      KeyStanding standing,
      FeedCache feeds,
      PolicyDecisionPoint decisionPoint,
      ChangeFeed changes,
      Ledger ledger,
      Supplier<Signer> signers,
      Redaction redaction,
      IdempotencyClaims claims,
      InstantSource clock,
      Supplier<UUID> recordIds,
      Consumer<Trial> trials,
      ApprovalGate approvals,
      DecisionCount counted) {
    this.packs = packs;
    this.subjects = subjects;
    this.standing = standing;
    this.feeds = feeds;
    this.decisionPoint = decisionPoint;
    this.changes = changes;
    this.ledger = ledger;
    this.signers = signers;
    this.redaction = redaction;
    this.claims = claims;
    this.clock = clock;
    this.recordIds = recordIds;
    this.trials = trials;
    this.approvals = approvals;
    this.counted = counted;
  }

  /**
   * Decides and records, for those who answer in words of their own; fails as {@link #run} does.
   */
  public Verdict decide(VerifyRequest request, Progress progress) {
    return Verdict.of(run(request, progress));
  }

  /** What this would decide. */
  public Forecast forecast() {
    return new Forecast(packs, subjects, standing, this, clock);
  }

  /**
   * Decides and records.
   *
   * @throws dev.safeconduct.problem.ProblemException 404 for an unknown pack or agent, 409 for an
   *     idempotency key of another request, 503 when nothing could be recorded
   */
  Verified run(VerifyRequest request, Progress progress) {
    Usage usage = Usage.NONE;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      // Read before any fact: what changes later is caught by the fence.
      long sequence = changes.sequence();
      JudgedPack judged = packs.resolve(request, () -> subjects.org(request));
      PolicyPack pack = judged.pack();
      Dialects.Lifted lifted =
          Dialects.lift(request.context(), name -> pack.contextSchema().declares(name));
      byte[] context = CanonicalJson.bytes(lifted.context());
      String contextDigest = CanonicalJson.digest(context);
      if (!standing.stands(request.caller())) {
        throw new Problem.Unauthorized("The API key has been revoked or has expired.")
            .toException();
      }
      Subject subject = subjects.resolve(request, lifted.agentIds());
      if (judged.owner().filter(owner -> !owner.equals(subject.org())).isPresent()) {
        throw PackResolver.unknown(request.policyId());
      }
      Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
      UUID id = recordIds.get();
      Usage known = usage;
      ApprovalGate.Gated gated =
          approvals.through(
              judge(request, judged, subject, lifted, known, now, false),
              request,
              judged,
              subject,
              id,
              now,
              () -> judge(request, judged, subject, lifted, known, now, true));
      Outcome outcome = gated.outcome();
      progress.mark("policy");
      if (request.dryRun()) {
        Optional<Usage> present = recounted(usage, outcome, now);
        if (present.isPresent()) {
          usage = present.get();
          continue;
        }
      }
      Optional<IdempotencyClaim> claim =
          request.dryRun() ? Optional.empty() : claims.of(request, subject, pack, now);
      progress.mark("usage");
      Signer signer = signers.get();
      Reason reason = redacted(outcome.reason());
      JsonObject document =
          DecisionDocument.of(
              id,
              judged,
              subject,
              contextDigest,
              outcome,
              reason,
              request.dryRun(),
              now,
              signer.kid());
      byte[] canonical = CanonicalJson.bytes(document);
      byte[] signature = signer.sign(canonical);
      progress.mark("sign");
      JudgedContext told = JudgedContext.of(lifted, redaction);
      // Now, while all it looked at is at hand: after the wait for the store it no longer is.
      byte[] trace =
          TraceWriter.isWanted(request, judged)
              ? new TraceWriter(redaction, told).write(outcome.trace())
              : TraceWriter.NOTHING;
      LedgerEntry entry =
          new LedgerEntry(
              new AuditRecord(
                  id,
                  RecordKind.DECISION,
                  subject.org(),
                  now,
                  Optional.of(new AgentId(subject.agentId())),
                  Optional.of(pack.id().value()),
                  Optional.of(outcome instanceof Outcome.Allow),
                  Optional.of(reason.code()),
                  canonical,
                  signature,
                  RecordDetails.of(request, told, context, redaction)),
              request.dryRun() ? List.of() : outcome.conditions(),
              outcome instanceof Outcome.Allow allow && !request.dryRun()
                  ? allow.charges()
                  : List.of(),
              new Fence(sequence, subject.fenced(request.caller(), judged)),
              claim,
              ReservedCharges.of(request, id, subject, pack, outcome, claim.orElse(null), now),
              gated.step());
      Commit commit = ledger.commit(entry);
      progress.mark("store");
      switch (commit) {
        case Commit.Done done -> {
          counted.one(judged.label(), outcome instanceof Outcome.Allow, judged.label(reason));
          TrialRequest.of(this, judged, request, subject, outcome, now, id).ifPresent(trials);
          approvals.announce(gated);
          return new Verified(
                  new SignedDecision(document, canonical, signature, done.logIndex()),
                  judged,
                  subject,
                  false,
                  trace,
                  gated.waiting())
              .toldTo(progress);
        }
        case Commit.Replayed replayed -> {
          SignedDecision original = SignedDecision.of(replayed.original());
          return new Verified(
                  original,
                  judged,
                  subject,
                  true,
                  TraceWriter.isWanted(request, judged) ? TraceWriter.EMPTY : TraceWriter.NOTHING,
                  approvals.of(original, gated, subject, now))
              .toldTo(progress);
        }
        case Commit.KeyTaken _ ->
            throw new Problem.Conflict(
                    "This idempotency key was used for another request; use a new one.",
                    "idempotency_key_reused")
                .toException();
        case Commit.UsageMoved moved -> usage = usage.with(moved.totals());
        case Commit.Superseded _ -> {
          // The facts are fetched afresh in the next round; the counters stay as last seen.
        }
      }
    }
    throw new Problem.Unavailable("Too much is changing at once; try again.", 1).toException();
  }

  Outcome judge(
      VerifyRequest request,
      JudgedPack judged,
      Subject subject,
      Dialects.Lifted lifted,
      Usage usage,
      Instant now,
      boolean approved) {
    if (!judged.faults().isEmpty()) {
      return judged.denied();
    }
    var question =
        new DecisionRequest(
            judged.pack(),
            subject.passport(),
            subject.templateActive(),
            lifted.context(),
            request.contextFault().or(lifted::fault),
            usage,
            judged.stateScope(subject, subject.agentId()),
            feeds.feeds(),
            now,
            request.explain(),
            approved);
    Outcome own = decisionPoint.decide(question);
    return subject.templates().isEmpty()
        ? own
        : Lineage.judged(
            own,
            subject.templates(),
            (passport, agentId) ->
                decisionPoint.decide(question.by(passport, judged.stateScope(subject, agentId))));
  }

  /** See {@link Recount}. */
  Optional<Usage> recounted(Usage usage, Outcome outcome, Instant now) {
    return Recount.of(ledger, usage, outcome.conditions(), now);
  }

  private Reason redacted(Reason reason) {
    String message = redaction.text(reason.message());
    return message.equals(reason.message())
        ? reason
        : new Reason(reason.code(), message, reason.rule());
  }
}

package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.RedactedContext;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.IdempotencyClaim;
import dev.safeconduct.ledger.LedgerEntry;
import dev.safeconduct.ledger.LedgerStep;
import dev.safeconduct.ledger.ReadSet;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.telemetry.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** Turns an outcome into a signed decision and the entry that records it. */
public final class DecisionRecorder {
  /** A suspension takes effect within this many seconds even for callers who cache an allow. */
  private static final int MAX_CACHE_SECONDS = 30;

  private final Supplier<Signer> signers;
  private final Redaction redaction;
  private final IdempotencyClaims claims;
  private final Supplier<UUID> ids;

  public DecisionRecorder(
      Supplier<Signer> signers, Redaction redaction, IdempotencyClaims claims, Supplier<UUID> ids) {
    this.signers = signers;
    this.redaction = redaction;
    this.claims = claims;
    this.ids = ids;
  }

  /**
   * A decision that is ready to be recorded.
   *
   * @param trace the answer's trace, see {@link TraceWriter}
   */
  @SuppressWarnings("ArrayRecordComponent") // written out once, never compared
  record Prepared(Decision decision, LedgerEntry entry, byte[] trace) {
    /** The decision at its place in the log. */
    SignedDecision at(long logIndex) {
      return new SignedDecision(
          decision, entry.record().body(), entry.record().signature(), logIndex);
    }
  }

  /** The id of the next decision. */
  UUID nextId() {
    return ids.get();
  }

  /** {@code sequence}: the last change that the evaluation has taken into account. */
  Prepared prepare(
      UUID id,
      VerifyRequest request,
      EvaluationInput input,
      ApprovalGate.Gated gated,
      long sequence,
      Progress progress) {
    Subject subject = input.subject();
    JudgedPack judged = input.policy();
    PolicyPack pack = judged.pack();
    Outcome outcome = gated.outcome();
    Optional<IdempotencyClaim> claim =
        request.dryRun() ? Optional.empty() : claims.of(request, input);
    progress.mark("usage");
    Signer signer = signers.get();
    // The signed reason must not repeat a secret of the context.
    RedactedContext redacted = redaction.of(input.context().context(), pack.contextSchema());
    RecordDetails details = RecordDetails.of(request, outcome, input, redacted, redaction);
    Decision decision =
        decision(id, request, input, outcome, redacted, details.contextDigest(), signer.kid());
    byte[] canonical = DecisionJson.canonical(decision);
    byte[] signature = signer.sign(canonical);
    progress.mark("sign");
    // The trace is written now, because its inputs are not retained during the wait for the store.
    byte[] trace =
        TraceWriter.isWanted(request, judged)
            ? new TraceWriter(redacted, input.context().lifted()).write(outcome.trace())
            : TraceWriter.NOTHING;
    var record =
        new AuditRecord(
            id,
            RecordKind.DECISION,
            subject.org(),
            input.at(),
            Optional.of(new AgentId(subject.agentId())),
            Optional.of(pack.id().value()),
            Optional.of(decision.allow()),
            Optional.of(decision.reason().code()),
            canonical,
            signature,
            details.bytes());
    Optional<Reservation> reserved =
        Reservation.of(request, id, subject, pack, outcome, claim.orElse(null), input.at());
    return new Prepared(
        decision,
        new LedgerEntry(
            record,
            request.dryRun() ? List.of() : outcome.conditions(),
            outcome instanceof Outcome.Allow allow && !request.dryRun()
                ? allow.charges()
                : List.of(),
            new ReadSet(sequence, subject.fenced(request.caller(), judged)),
            claim,
            steps(gated, reserved)),
        trace);
  }

  private static List<LedgerStep> steps(ApprovalGate.Gated gated, Optional<Reservation> reserved) {
    if (gated.step().isEmpty() && reserved.isEmpty()) {
      return List.of();
    }
    var steps = new ArrayList<LedgerStep>(2);
    gated.step().ifPresent(steps::add);
    reserved.map(Reservations::opening).ifPresent(steps::add);
    return steps;
  }

  private Decision decision(
      UUID id,
      VerifyRequest request,
      EvaluationInput input,
      Outcome outcome,
      RedactedContext redacted,
      String contextDigest,
      String kid) {
    Subject subject = input.subject();
    JudgedPack judged = input.policy();
    PolicyPack pack = judged.pack();
    // An allow of observe mode must end with observe mode.
    boolean cacheable = outcome.isAllowedByPolicy() && !pack.stateful() && !request.dryRun();
    Reason reason = outcome.reason();
    return new Decision(
        id,
        subject.org(),
        new Decision.Agent(
            subject.agentId(),
            passportId(subject),
            subject.passport().levelOrLowest().wire(),
            subject.digest(),
            subject.source()),
        new Decision.Policy(pack.id().value(), pack.digest(), judged.source()),
        contextDigest,
        new Decision.Result(
            outcome.isAllow(),
            recorded(reason, redacted),
            outcome.observed().map(why -> recorded(why, redacted))),
        new Decision.Validity(
            input.at(), cacheable ? cacheSeconds(pack, input) : 0, request.dryRun()),
        kid);
  }

  private static Decision.Reason recorded(Reason reason, RedactedContext redacted) {
    return new Decision.Reason(reason.code(), redacted.text(reason.message()), reason.rule());
  }

  /** An allow is cached for whole seconds, and never beyond the end of the passport. */
  private static int cacheSeconds(PolicyPack pack, EvaluationInput input) {
    int most = Math.min(pack.cacheSeconds(), MAX_CACHE_SECONDS);
    Instant end = input.subject().end();
    return end.isBefore(input.at().plusSeconds(most))
        ? (int) Duration.between(input.at(), end).toSeconds()
        : most;
  }

  /** Limits the length of the signed id, because a passport in a request may have any id. */
  private static String passportId(Subject subject) {
    return subject
        .passport()
        .passportId()
        .filter(id -> id.length() <= AgentId.MAX_LENGTH)
        .orElse(subject.agentId());
  }
}

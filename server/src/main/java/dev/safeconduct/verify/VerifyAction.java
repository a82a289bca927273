package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.ledger.Commit;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.telemetry.Progress;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Decides whether an agent may act. The decision is evaluated, signed and stored in the audit log
 * with its charges before it is returned.
 */
public final class VerifyAction {
  /** The maximum number of evaluations of one request during frequent changes. */
  private static final int MOST_ROUNDS = 32;

  private final RequestResolver resolver;
  private final Evaluator evaluator;
  private final ApprovalGate approvals;
  private final DecisionRecorder recorder;
  private final Ledger ledger;
  private final ChangeFeed changes;
  private final InstantSource clock;
  private final DecisionListener listener;

  public VerifyAction(
      RequestResolver resolver,
      Evaluator evaluator,
      ApprovalGate approvals,
      DecisionRecorder recorder,
      Ledger ledger,
      ChangeFeed changes,
      InstantSource clock,
      DecisionListener listener) {
    this.resolver = resolver;
    this.evaluator = evaluator;
    this.approvals = approvals;
    this.recorder = recorder;
    this.ledger = ledger;
    this.changes = changes;
    this.clock = clock;
    this.listener = listener;
  }

  /**
   * Decides and records, for endpoints with their own response form; fails as {@link #run} does.
   */
  public Decision decide(VerifyRequest request, Progress progress, Budget budget) {
    return run(request, progress, budget).decision();
  }

  /**
   * Decides and records.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for an unknown pack or agent, 409 for an
   *     idempotency key of another request, 503 when nothing could be recorded
   */
  public VerifyResult run(VerifyRequest request, Progress progress) {
    return run(request, progress, new Budget());
  }

  /** Decides and records, with a budget that all evaluations of a batch share. */
  VerifyResult run(VerifyRequest request, Progress progress, Budget budget) {
    Usage usage = Usage.NONE;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      // Read before any fact, so that the commit's read set check detects later changes.
      long sequence = changes.sequence();
      EvaluationInput input = resolver.resolve(request, clock);
      UUID id = recorder.nextId();
      ApprovalGate.Gated gated = evaluate(request, input, usage, budget, id);
      progress.mark("policy");
      if (request.approval().filter(VerifyRequest.ApprovalQuestion::only).isPresent()
          && gated.waiting().isEmpty()) {
        throw ApprovalGate.notOpened(gated.outcome()).toException();
      }
      if (request.dryRun()) {
        // No commit checks what the outcome assumes about counters.
        Optional<Usage> corrected =
            UsageLookup.of(ledger).corrected(usage, gated.outcome().conditions(), input.at());
        if (corrected.isPresent()) {
          usage = corrected.get();
          continue;
        }
      }
      DecisionRecorder.Prepared prepared =
          recorder.prepare(id, request, input, gated, sequence, progress);
      Commit commit = ledger.commit(prepared.entry());
      progress.mark("store");
      switch (commit) {
        case Commit.Recorded done -> {
          listener.recorded(
              new DecisionListener.Recorded(
                  id, input, gated.outcome(), request.sent().context(), request.dryRun()));
          approvals.announce(gated);
          return new VerifyResult(
                  prepared.at(done.logIndex()),
                  input.policy(),
                  input.subject(),
                  false,
                  prepared.trace(),
                  gated.waiting())
              .toldTo(progress);
        }
        case Commit.Replayed replayed -> {
          SignedDecision original = SignedDecision.of(replayed.original());
          return new VerifyResult(
                  original,
                  input.policy(),
                  input.subject(),
                  true,
                  TraceWriter.ofReplay(request, input.policy()),
                  approvals.of(original.decision(), gated, input.subject(), input.at()))
              .toldTo(progress);
        }
        case Commit.KeyTaken _ ->
            throw ProblemException.conflict(
                "This idempotency key was used for another request; use a new one.",
                "idempotency_key_reused");
        case Commit.UsageMoved moved -> usage = usage.with(moved.totals());
        case Commit.Superseded _ -> {
          // The next round reads the facts again and uses the last known counters.
        }
      }
    }
    throw ProblemException.unavailable("Too much is changing at once; try again.", 1);
  }

  /** Does all of a decision and its answer except recording it, to compile what they use. */
  public JsonWriter rehearse(VerifyRequest request, EvaluationInput input, String baseUrl) {
    var gated = ApprovalGate.Gated.of(evaluator.evaluate(input, Usage.NONE, new Budget()));
    DecisionRecorder.Prepared prepared =
        recorder.prepare(
            recorder.nextId(), request, input, gated, changes.sequence(), Progress.UNHEARD);
    var result =
        new VerifyResult(
            prepared.at(0),
            input.policy(),
            input.subject(),
            false,
            prepared.trace(),
            Optional.empty());
    return VerifyAnswer.full(result, request, null, baseUrl);
  }

  private ApprovalGate.Gated evaluate(
      VerifyRequest request, EvaluationInput input, Usage usage, Budget budget, UUID id) {
    Optional<Reason> refusal = request.options().refusal();
    if (refusal.isPresent()) {
      return ApprovalGate.Gated.of(Outcome.Deny.unchecked(refusal.get(), List.of()));
    }
    ApprovalGate.Gated gated =
        approvals.check(evaluator.evaluate(input, usage, budget), request, input, id);
    return gated.approved().isPresent()
        ? gated.by(evaluator.evaluate(input.withApproval(), usage, budget), request.dryRun())
        : gated;
  }
}

package dev.safeconduct.verify;

import dev.safeconduct.decision.Check;
import dev.safeconduct.trace.Progress;
import dev.safeconduct.usage.Approval;
import java.util.List;
import java.util.Optional;

/**
 * What {@link VerifyAction} gives back.
 *
 * @param replayed whether an earlier equal request's decision stands
 * @param trace the checks made, when asked for
 * @param approval what a person has to answer first
 * @param context what was judged, as far as the trace shows it
 */
record Verified(
    SignedDecision decision,
    JudgedPack judged,
    Subject subject,
    boolean replayed,
    List<Check> trace,
    JudgedContext context,
    Optional<Approval> approval) {
  /** Itself, when it has been told. */
  Verified toldTo(Progress progress) {
    if (progress.isTraced()) {
      Verdict verdict = Verdict.of(this);
      progress.decided(
          judged.hosted() ? judged.pack().id().value() : judged.label(),
          verdict.allow(),
          verdict.code(),
          verdict.decisionId());
    }
    return this;
  }
}

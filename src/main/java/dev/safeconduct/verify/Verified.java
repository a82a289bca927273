package dev.safeconduct.verify;

import dev.safeconduct.trace.Progress;
import dev.safeconduct.usage.Approval;
import java.util.Optional;

/**
 * What {@link VerifyAction} gives back.
 *
 * @param replayed whether an earlier equal request's decision stands
 * @param trace the member that tells the checks made, as {@link TraceWriter} wrote it
 * @param approval what a person has to answer first
 */
@SuppressWarnings("ArrayRecordComponent") // written out once, never compared
record Verified(
    SignedDecision decision,
    JudgedPack judged,
    Subject subject,
    boolean replayed,
    byte[] trace,
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

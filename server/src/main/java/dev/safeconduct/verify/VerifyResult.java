package dev.safeconduct.verify;

import dev.safeconduct.approval.Approval;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.telemetry.Progress;
import java.util.Optional;

/**
 * The result of {@link VerifyAction}.
 *
 * @param replayed whether the decision is that of an earlier equal request
 * @param trace the member with the checks, as {@link TraceWriter} wrote it
 * @param approval the approval that a person has to answer first
 */
@SuppressWarnings("ArrayRecordComponent") // written out once, never compared
public record VerifyResult(
    SignedDecision signed,
    JudgedPack judged,
    Subject subject,
    boolean replayed,
    byte[] trace,
    Optional<Approval> approval) {
  /** Reports the result to the request's progress and returns this. */
  VerifyResult toldTo(Progress progress) {
    if (progress.isTraced()) {
      Decision decision = decision();
      progress.decided(
          judged.isHosted() ? judged.pack().id().value() : judged.label(),
          decision.allow(),
          decision.reason().code(),
          decision.id().toString());
    }
    return this;
  }

  public Decision decision() {
    return signed.decision();
  }
}

package dev.safeconduct.verify;

import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackShelf;
import dev.safeconduct.shadow.Trial;
import dev.safeconduct.shadow.Weight;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What a tried version of the pack is to be held against, once a decision is recorded. */
final class TrialRequest {
  private TrialRequest() {}

  /** The trial; empty when none runs, and for a dry run, which is no action. */
  static Optional<Trial> of(
      VerifyAction action,
      JudgedPack judged,
      VerifyRequest request,
      Subject subject,
      Outcome decided,
      Instant now,
      UUID id) {
    if (judged.trial().isEmpty() || request.dryRun()) {
      return Optional.empty();
    }
    PackShelf.Trial tried = judged.trial().get();
    return Optional.of(
        new Trial(
            subject.org(),
            judged.pack().id().value(),
            tried.version(),
            tried.digest(),
            tried.pack(),
            subject.agentId(),
            now,
            id,
            decided,
            judged.pack().digest(),
            (pack, usage) -> judgedBy(pack, usage, action, request, subject, now),
            Weight.of(request.context()) + Weight.of(subject.passport())));
  }

  private static Outcome judgedBy(
      PolicyPack pack,
      Usage usage,
      VerifyAction action,
      VerifyRequest request,
      Subject subject,
      Instant now) {
    Dialects.Lifted lifted =
        Dialects.lift(request.context(), name -> pack.contextSchema().declares(name));
    return action.judge(
        request, JudgedPack.of(pack, true, List.of()), subject, lifted, usage, now, false);
  }
}

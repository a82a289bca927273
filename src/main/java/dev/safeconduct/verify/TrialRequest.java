package dev.safeconduct.verify;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.policy.hosted.PackShelf;
import dev.safeconduct.shadow.Trial;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** What a tried version of the pack is to be held against, once a decision is recorded. */
final class TrialRequest {
  private TrialRequest() {}

  /** The trial; empty when none runs, and for a dry run, which is no action. */
  static Optional<Trial> of(
      JudgedPack judged,
      VerifyRequest request,
      Subject subject,
      Outcome decided,
      Feeds feeds,
      Instant now,
      UUID id) {
    if (judged.trial().isEmpty() || request.dryRun() || request.contextFault().isPresent()) {
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
            subject.passport(),
            subject.templateActive(),
            request.context(),
            judged.stateScope(subject, subject.agentId()),
            feeds,
            now,
            id,
            decided,
            judged.pack().digest()));
  }
}

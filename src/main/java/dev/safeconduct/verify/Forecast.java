package dev.safeconduct.verify;

import dev.safeconduct.access.KeyStanding;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Says whether an action would be allowed now. Nothing is signed, recorded or charged, so it is no
 * decision and nobody may act on it.
 */
public final class Forecast {
  /** Counters that grow while they are looked at would go on for ever. */
  private static final int MOST_ROUNDS = 4;

  private final PackResolver packs;
  private final SubjectResolver subjects;
  private final KeyStanding standing;
  private final VerifyAction action;
  private final InstantSource clock;

  Forecast(
      PackResolver packs,
      SubjectResolver subjects,
      KeyStanding standing,
      VerifyAction action,
      InstantSource clock) {
    this.packs = packs;
    this.subjects = subjects;
    this.standing = standing;
    this.action = action;
    this.clock = clock;
  }

  /**
   * Whether {@link VerifyAction} would allow it by the present counters.
   *
   * @throws dev.safeconduct.problem.ProblemException as {@link VerifyAction#decide} for what it
   *     cannot judge
   */
  public boolean allows(VerifyRequest request) {
    if (!standing.stands(request.caller())) {
      throw new Problem.Unauthorized("The API key has been revoked or has expired.").toException();
    }
    JudgedPack judged = packs.resolve(request, () -> subjects.org(request));
    Dialects.Lifted lifted =
        Dialects.lift(request.context(), name -> judged.pack().contextSchema().declares(name));
    Subject subject = subjects.resolve(request, lifted.agentIds());
    if (judged.owner().filter(owner -> !owner.equals(subject.org())).isPresent()) {
      throw PackResolver.unknown(request.policyId());
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Usage usage = Usage.NONE;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Outcome outcome = action.judge(request, judged, subject, lifted, usage, now, false);
      Optional<Usage> present = action.recounted(usage, outcome, now);
      if (present.isEmpty()) {
        return outcome instanceof Outcome.Allow;
      }
      usage = present.get();
    }
    return false;
  }
}

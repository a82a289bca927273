package dev.safeconduct.authzen;

import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.verify.Verdict;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyRequest;
import org.jspecify.annotations.Nullable;

/** Answers evaluations with decisions that are signed and recorded like all others. */
public final class Evaluate {
  /** A pack that changes between the choice and the decision is chosen again, so often at most. */
  private static final int MOST_TRIES = 8;

  private static final String UNKNOWN_SUBJECT = "passport_not_found";

  private final ActionPacks packs;
  private final VerifyAction verify;

  public Evaluate(ActionPacks packs, VerifyAction verify) {
    this.packs = packs;
    this.verify = verify;
  }

  /**
   * Decides; an unknown subject or action is a closed answer and no problem.
   *
   * @throws ProblemException 400 for an evaluation that contradicts itself, 503 when nothing could
   *     be recorded
   */
  Answer run(Asker asker, Evaluation evaluation) {
    for (int i = 0; i < MOST_TRIES; i++) {
      switch (packs.choose(asker.org(), evaluation.action().name(), evaluation.resource().type())) {
        case Choice.None none -> {
          return Answer.error(none.status(), none.message());
        }
        case Choice.Pack pack -> {
          Answer answer = judged(asker, evaluation, pack);
          if (answer != null) {
            return answer;
          }
        }
      }
    }
    throw new Problem.Unavailable("Too much is changing at once; try again.", 1).toException();
  }

  /** Java null when another version of the pack decided than the one this was asked for. */
  private @Nullable Answer judged(Asker asker, Evaluation evaluation, Choice.Pack pack) {
    for (VerifyRequest question : Questions.of(asker, evaluation, pack)) {
      try {
        Verdict verdict = verify.decide(question, asker.progress());
        return verdict.policyDigest().equals(pack.digest())
            ? Answer.of(verdict, pack.obligations())
            : null;
      } catch (ProblemException e) {
        if (!(e.problem() instanceof Problem.NotFound gone)) {
          throw e;
        }
        if (!gone.reason().equals(UNKNOWN_SUBJECT)) {
          // The pack went after it was chosen.
          return null;
        }
      }
    }
    return Answer.error(404, "The subject is not known.");
  }
}

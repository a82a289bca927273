package dev.safeconduct.authzen;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.VerifyAction;
import org.jspecify.annotations.Nullable;

/** Answers evaluations with decisions that are signed and recorded like all other decisions. */
public final class Evaluate {
  /** The maximum number of tries if the pack changes between the choice and the decision. */
  private static final int MOST_TRIES = 8;

  private static final String UNKNOWN_SUBJECT = "passport_not_found";

  private final ActionPacks packs;
  private final VerifyAction verify;

  public Evaluate(ActionPacks packs, VerifyAction verify) {
    this.packs = packs;
    this.verify = verify;
  }

  /**
   * Evaluates the request. An unknown subject or action is a deny, not a problem response.
   *
   * @throws ProblemException 503 if the decision cannot be recorded
   */
  Answer run(AuthzenCaller asker, EvaluationRequest sent) {
    for (int i = 0; i < MOST_TRIES; i++) {
      EvaluationRequest evaluation = packs.mapped(asker, sent);
      switch (packs.choose(asker.org(), evaluation.action().name(), evaluation.resource().type())) {
        case ActionPacks.Choice.None none -> {
          return Answer.error(none.status(), none.message());
        }
        case ActionPacks.Choice.Pack(PolicyPack pack) -> {
          Answer answer = decide(asker, evaluation, pack);
          if (answer != null) {
            return answer;
          }
        }
      }
    }
    throw ProblemException.unavailable("Too much is changing at once; try again.", 1);
  }

  /** Returns Java null if another version of the pack decided than the requested one. */
  private @Nullable Answer decide(
      AuthzenCaller asker, EvaluationRequest evaluation, PolicyPack pack) {
    try {
      Decision decision =
          verify.decide(
              EvaluationRequest.question(asker, evaluation, pack),
              asker.progress(),
              asker.budget());
      return decision.policy().digest().equals(pack.digest())
          ? Answer.of(decision, pack.obligations())
          : null;
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.Misdirected elsewhere) {
        return Answer.error(421, elsewhere.message());
      }
      if (!(e.problem() instanceof Problem.NotFound gone)) {
        throw e;
      }
      // Else the pack was removed after it was chosen.
      return gone.reason().equals(UNKNOWN_SUBJECT)
          ? Answer.error(404, "The subject is not known.")
          : null;
    }
  }
}

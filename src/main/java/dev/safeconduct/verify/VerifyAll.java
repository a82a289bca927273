package dev.safeconduct.verify;

import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.trace.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Answers several questions of one caller, each as {@link VerifyAction} answers it alone; what
 * befalls one does not befall the others.
 *
 * <p>Those whose answer may rest on another's are judged one after the other, in their order: the
 * first of two that share a cap gets what is left of it. The rest is judged beside them at once,
 * for a wait for the disk is what each of them costs most.
 */
public final class VerifyAll {
  private final VerifyAction action;
  private final PackResolver packs;
  private final SubjectResolver subjects;

  public VerifyAll(VerifyAction action, PackResolver packs, SubjectResolver subjects) {
    this.action = action;
    this.packs = packs;
    this.subjects = subjects;
  }

  /** What came of one question. */
  sealed interface Result {
    /** It was decided, and the decision is recorded. */
    record Decided(Verified verified) implements Result {}

    /** It could not be judged. */
    record Refused(Problem problem) implements Result {}

    /** A fault of ours. */
    record Failed(Throwable fault) implements Result {}
  }

  /** The results in the order of the questions, when all that was decided is recorded. */
  List<Result> run(List<VerifyRequest> questions, Progress progress) {
    var results = new Result[questions.size()];
    var inOrder = new ArrayList<Integer>();
    var tasks = new ArrayList<Callable<Void>>();
    for (int i = 0; i < results.length; i++) {
      if (dependsOnOthers(questions.get(i))) {
        inOrder.add(i);
      } else {
        tasks.add(task(questions, List.of(i), results, progress));
      }
    }
    tasks.add(task(questions, inOrder, results, progress));
    SideBySide.run(tasks);
    return List.of(results);
  }

  private Callable<Void> task(
      List<VerifyRequest> questions, List<Integer> places, Result[] results, Progress progress) {
    return () -> {
      for (int place : places) {
        results[place] = one(questions.get(place), progress.part());
      }
      return null;
    };
  }

  private Result one(VerifyRequest question, Progress progress) {
    try {
      return new Result.Decided(action.run(question, progress));
    } catch (ProblemException e) {
      return new Result.Refused(e.problem());
    } catch (RuntimeException | Error e) {
      return new Result.Failed(e);
    }
  }

  /** Whether it counts, is answered once under its key, or may ask a person, who is asked once. */
  private boolean dependsOnOthers(VerifyRequest question) {
    if (question.dryRun()) {
      return false;
    }
    if (question.idempotencyKey().isPresent()) {
      return true;
    }
    try {
      PolicyPack pack = packs.resolve(question, () -> subjects.org(question)).pack();
      return pack.stateful() || pack.approvalGate();
    } catch (RuntimeException _) {
      return true; // whatever it is, judging it will say so in its place
    }
  }
}

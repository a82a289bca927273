package dev.safeconduct.verify;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.telemetry.Progress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Answers several requests of one caller, each as {@link VerifyAction} answers a single request. A
 * failed request does not fail the others.
 *
 * <p>Requests that may depend on each other are evaluated in order: the first of two that share a
 * cap gets the remaining amount. The other requests run concurrently, because the wait for the disk
 * is their main cost.
 */
public final class VerifyAll {
  private final VerifyAction action;
  private final RequestResolver resolver;

  public VerifyAll(VerifyAction action, RequestResolver resolver) {
    this.action = action;
    this.resolver = resolver;
  }

  /** The result of one request. */
  sealed interface Result {
    /** The decision is recorded. */
    record Decided(VerifyResult result) implements Result {}

    /** The request could not be evaluated. */
    record Refused(Problem problem) implements Result {}

    /** An internal error. */
    record Failed(Throwable fault) implements Result {}
  }

  /** Returns the results in the order of the requests, when all decisions are recorded. */
  List<Result> run(List<VerifyRequest> questions, Progress progress) {
    var results = new Result[questions.size()];
    var budget = new Budget();
    var inOrder = new ArrayList<Integer>();
    var tasks = new ArrayList<Callable<Void>>();
    for (int i = 0; i < results.length; i++) {
      if (dependsOnOthers(questions.get(i))) {
        inOrder.add(i);
      } else {
        tasks.add(task(questions, List.of(i), results, progress, budget));
      }
    }
    tasks.add(task(questions, inOrder, results, progress, budget));
    concurrently(tasks);
    return List.of(results);
  }

  private Callable<Void> task(
      List<VerifyRequest> questions,
      List<Integer> places,
      Result[] results,
      Progress progress,
      Budget budget) {
    return () -> {
      for (int place : places) {
        results[place] = one(questions.get(place), progress.part(), budget);
      }
      return null;
    };
  }

  private Result one(VerifyRequest question, Progress progress, Budget budget) {
    try {
      return new Result.Decided(action.run(question, progress, budget));
    } catch (ProblemException e) {
      return new Result.Refused(e.problem());
    } catch (RuntimeException | Error e) {
      return new Result.Failed(e);
    }
  }

  /** Whether the request uses counters, an idempotency key or an approval. */
  private boolean dependsOnOthers(VerifyRequest question) {
    if (question.dryRun()) {
      return false;
    }
    if (question.idempotencyKey().isPresent()) {
      return true;
    }
    try {
      return resolver.hasState(question);
    } catch (RuntimeException _) {
      return true; // the evaluation reports the same fault in its order
    }
  }

  /**
   * Returns the results in the order of the tasks, when all tasks have ended.
   *
   * @throws ProblemException the first exception of a task, or 503 if this thread is interrupted
   */
  public static <T> List<T> concurrently(Collection<? extends Callable<T>> tasks) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var results = new ArrayList<T>();
      for (Future<T> result : threads.invokeAll(tasks)) {
        results.add(result.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.unavailable("The service is stopping.", 1);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ProblemException problem) {
        throw problem;
      }
      throw new IllegalStateException("one of several failed", e.getCause());
    }
  }
}

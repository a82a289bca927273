package dev.safeconduct.verify;

import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does several things at once, so that the store writes many with one flush. */
public final class SideBySide {
  private SideBySide() {}

  /**
   * What comes of each, in their order, when all are over.
   *
   * @throws ProblemException the first that one of them throws, or 503 when this thread is to stop
   */
  public static <T> List<T> run(Collection<? extends Callable<T>> tasks) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var results = new ArrayList<T>();
      for (Future<T> result : threads.invokeAll(tasks)) {
        results.add(result.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Problem.Unavailable("The service is stopping.", 1).toException();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ProblemException problem) {
        throw problem;
      }
      throw new IllegalStateException("one of several failed", e.getCause());
    }
  }
}

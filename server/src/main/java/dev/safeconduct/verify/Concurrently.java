package dev.safeconduct.verify;

import dev.safeconduct.error.ProblemException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs several tasks concurrently, so that the store writes many records with one flush. */
public final class Concurrently {
  private Concurrently() {}

  /**
   * Returns the results in the order of the tasks, when all tasks have ended.
   *
   * @throws ProblemException the first exception of a task, or 503 if this thread is interrupted
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
      throw ProblemException.unavailable("The service is stopping.", 1);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ProblemException problem) {
        throw problem;
      }
      throw new IllegalStateException("one of several failed", e.getCause());
    }
  }
}

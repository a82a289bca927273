package dev.safeconduct.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** The same thing many times at once, on a virtual thread each. */
public final class AtOnce {
  private AtOnce() {}

  /** Starts all calls together and waits for all results, in the order of their numbers. */
  public static <T> List<T> run(int times, IntFunction<T> call) {
    var together = new CountDownLatch(1);
    var results = new ArrayList<T>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<T>>();
      for (int i = 0; i < times; i++) {
        int number = i;
        Callable<T> task =
            () -> {
              together.await();
              return call.apply(number);
            };
        running.add(threads.submit(task));
      }
      together.countDown();
      for (Future<T> each : running) {
        results.add(each.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (ExecutionException e) {
      throw new AssertionError("one of the calls failed", e);
    }
  }
}

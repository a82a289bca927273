package dev.safeconduct.simulate.suggest;

import dev.safeconduct.policy.PolicyPack;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * Evaluates recorded actions pack by pack, some packs at once: no pack reads another one's
 * counters, so only the order of a pack's own actions matters.
 */
final class ByPack {
  private final Function<PolicyPack, PackRun> begin;
  private final Map<String, PackRun> byPack = new HashMap<>();

  /** {@code begin} returns the run of a pack. */
  ByPack(Function<PolicyPack, PackRun> begin) {
    this.begin = begin;
  }

  /** What a version of the passport does with an action. */
  enum Result {
    ALLOWS,
    DENIES,
    /** The present version allows it. */
    NEWLY_DENIES
  }

  /** The actions of one pack, oldest first. */
  interface PackRun {
    Result take(Evidence.Item.Known item);
  }

  private record Task(PackRun run, int index, Evidence.Item.Known item) {}

  /**
   * Returns what each action gets; that of an item that cannot be replayed means nothing.
   *
   * @param threads how many packs are evaluated at once
   */
  Result[] take(List<Evidence.Item> items, int threads, ExecutorService executor)
      throws InterruptedException, ExecutionException {
    var results = new Result[items.size()];
    var tasks = new HashMap<PackRun, List<Task>>();
    for (int i = 0; i < items.size(); i++) {
      results[i] = Result.DENIES;
      if (items.get(i) instanceof Evidence.Item.Known known) {
        PackRun run =
            byPack.computeIfAbsent(known.pack().id().value(), _ -> begin.apply(known.pack()));
        tasks.computeIfAbsent(run, _ -> new ArrayList<>()).add(new Task(run, i, known));
      }
    }
    var shares = new ArrayList<List<Task>>();
    for (int i = 0; i < threads; i++) {
      shares.add(new ArrayList<>());
    }
    // The longest first, each to who has least.
    tasks.values().stream()
        .sorted(Comparator.comparingInt(List<Task>::size).reversed())
        .forEach(each ->
            shares.stream().min(Comparator.comparingInt(List::size)).orElseThrow().addAll(each));
    var others = new ArrayList<Future<?>>();
    for (List<Task> share : shares.subList(1, threads)) {
      others.add(executor.submit(() -> run(share, results)));
    }
    run(shares.getFirst(), results);
    for (Future<?> other : others) {
      Object _ = other.get();
    }
    return results;
  }

  private static void run(List<Task> share, Result[] results) {
    for (Task task : share) {
      results[task.index()] = task.run().take(task.item());
    }
  }
}

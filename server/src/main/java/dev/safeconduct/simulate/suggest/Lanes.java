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
final class Lanes {
  private final Function<PolicyPack, Lane> begin;
  private final Map<String, Lane> byPack = new HashMap<>();

  /** {@code begin} returns the lane of a pack. */
  Lanes(Function<PolicyPack, Lane> begin) {
    this.begin = begin;
  }

  /** What a version of the passport does with an action. */
  enum Verdict {
    ALLOWS,
    DENIES,
    /** The present version allows it. */
    NEWLY_DENIES
  }

  /** The actions of one pack, oldest first. */
  interface Lane {
    Verdict take(Evidence.Item.Known item);
  }

  private record Task(Lane lane, int index, Evidence.Item.Known item) {}

  /**
   * Returns what each action gets; that of an item that cannot be replayed means nothing.
   *
   * @param threads how many lanes are evaluated at once
   */
  Verdict[] take(List<Evidence.Item> items, int threads, ExecutorService executor)
      throws InterruptedException, ExecutionException {
    var verdicts = new Verdict[items.size()];
    var tasks = new HashMap<Lane, List<Task>>();
    for (int i = 0; i < items.size(); i++) {
      verdicts[i] = Verdict.DENIES;
      if (items.get(i) instanceof Evidence.Item.Known known) {
        Lane lane =
            byPack.computeIfAbsent(known.pack().id().value(), _ -> begin.apply(known.pack()));
        tasks.computeIfAbsent(lane, _ -> new ArrayList<>()).add(new Task(lane, i, known));
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
      others.add(executor.submit(() -> run(share, verdicts)));
    }
    run(shares.getFirst(), verdicts);
    for (Future<?> other : others) {
      Object _ = other.get();
    }
    return verdicts;
  }

  private static void run(List<Task> share, Verdict[] verdicts) {
    for (Task task : share) {
      verdicts[task.index()] = task.lane().take(task.item());
    }
  }
}

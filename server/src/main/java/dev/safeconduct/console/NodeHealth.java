package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.policy.hosted.PackNodes.Node;
import dev.safeconduct.policy.hosted.PackWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** The nodes that share the database, and whether each of them is alive. */
final class NodeHealth {
  /** How long a silent node is reported as missing; after that it counts as removed. */
  private static final Duration MISSED = Duration.ofHours(1);

  private static final int MOST = 5;

  private final Function<Instant, List<Node>> seenSince;

  /**
   * @param seenSince the nodes seen since a time; empty where there can be only one
   */
  NodeHealth(Function<Instant, List<Node>> seenSince) {
    this.seenSince = seenSince;
  }

  /** Returns one line for all running nodes, and one for each missing node. */
  List<OverviewPage.Health> at(Instant now) {
    List<Node> nodes = seenSince.apply(now.minus(MISSED));
    Instant alive = now.minus(PackWatch.ALIVE);
    List<Node> serving = nodes.stream().filter(node -> !node.seenAt().isBefore(alive)).toList();
    var health = new ArrayList<OverviewPage.Health>();
    if (!serving.isEmpty()) {
      Instant eldest =
          serving.stream().map(Node::seenAt).min(Comparator.naturalOrder()).orElse(now);
      health.add(
          new OverviewPage.Health(
              true,
              "Nodes",
              Formats.count(serving.size(), "node active", "nodes active")
                  + ", last seen within "
                  + Math.max(1, Duration.between(eldest, now).toSeconds() + 1)
                  + " s",
              ""));
    }
    nodes.stream()
        .filter(node -> node.seenAt().isBefore(alive))
        .sorted(Comparator.comparing(Node::seenAt).reversed())
        .limit(MOST)
        .forEach(node ->
            health.add(
                new OverviewPage.Health(
                    false,
                    "Node " + Formats.id(node.id()),
                    "last seen "
                        + Math.max(1, Duration.between(node.seenAt(), now).toMinutes())
                        + " min ago; it did not shut down cleanly",
                    "")));
    return health;
  }
}

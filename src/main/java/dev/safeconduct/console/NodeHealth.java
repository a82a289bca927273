package dev.safeconduct.console;

import dev.safeconduct.policy.hosted.PackNodes.Node;
import dev.safeconduct.policy.hosted.PackWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Which processes share the database, and whether each of them still gives a sign of life. */
final class NodeHealth {
  /** For so long a node that went without a word is told of; then it is taken for removed. */
  private static final Duration MISSED = Duration.ofHours(1);

  private static final int MOST = 5;

  private final Function<Instant, List<Node>> seenSince;

  /**
   * @param seenSince the nodes seen since a time; none where there can be only one
   */
  NodeHealth(Function<Instant, List<Node>> seenSince) {
    this.seenSince = seenSince;
  }

  /** A line for all that serve, and one for each that is missed. */
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
              Show.count(serving.size(), "serves", "serve")
                  + ", each seen in the last "
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
                    "Node " + Show.id(node.id()),
                    "gave its last sign "
                        + Math.max(1, Duration.between(node.seenAt(), now).toMinutes())
                        + " min ago, without saying that it stops",
                    "")));
    return health;
  }
}

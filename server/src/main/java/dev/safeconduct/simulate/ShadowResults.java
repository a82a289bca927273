package dev.safeconduct.simulate;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.policy.PolicyId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The stored results of shadow evaluations. */
public final class ShadowResults {
  private static final long MOST_KEPT = 10_000;

  private static final String COUNT =
      """
      INSERT INTO shadow_tally (org, policy_id, version, node, evaluated, would_deny, would_allow,
                                other_reason, failed, dropped, unfinished)
      VALUES (:org, :policy, :version, :node, :evaluated, :deny, :allow, :reason, :failed,
              :dropped, 1)
          ON CONFLICT (org, policy_id, version, node)
          DO UPDATE SET evaluated = shadow_tally.evaluated + excluded.evaluated,
                        would_deny = shadow_tally.would_deny + excluded.would_deny,
                        would_allow = shadow_tally.would_allow + excluded.would_allow,
                        other_reason = shadow_tally.other_reason + excluded.other_reason,
                        failed = shadow_tally.failed + excluded.failed,
                        dropped = shadow_tally.dropped + excluded.dropped,
                        unfinished = 1
      """;

  private static final String LAST_PLACE =
      """
      SELECT coalesce(max(place), 0) FROM shadow_difference
       WHERE org = :org AND policy_id = :policy
      """;

  private static final String KEEP =
      Sql.insert("shadow_difference", "org, policy_id, place, version, body");

  private static final String FORGET =
      """
      DELETE FROM shadow_difference
       WHERE org = :org AND policy_id = :policy AND place <= :last
      """;

  private static final String COUNTS =
      """
      SELECT evaluated, would_deny, would_allow, other_reason, failed, dropped FROM shadow_tally
      """;

  private static final String NODE_GONE =
      """
      NOT EXISTS (SELECT 1 FROM node WHERE node.id = shadow_tally.node AND node.seen_at >= :alive)
      """;

  private final Storage storage;

  public ShadowResults(Storage storage) {
    this.storage = storage;
  }

  /** A version of a pack that is or was tried. */
  public record Subject(OrgId org, String policyId, int version) {}

  /** What is to be added for one subject. */
  public record Result(ShadowCounts tally, List<JsonObject> differences) {}

  /** All that a trial has found. */
  public record Found(ShadowCounts tally, long kept, long interruptedNodes) {}

  /** A kept difference and its place among those of its pack. */
  public record StoredDifference(long place, JsonObject body) {}

  /** Adds the results of a node; of a pack's differences only the latest 10,000 are kept. */
  public void add(String node, Map<Subject, Result> results) {
    storage.change(connection -> {
      for (Map.Entry<Subject, Result> result : results.entrySet()) {
        count(connection, node, result.getKey(), result.getValue().tally());
        if (!result.getValue().differences().isEmpty()) {
          keep(connection, result.getKey(), result.getValue().differences());
        }
      }
      return MutationResult.none(true);
    });
  }

  /** Deletes all results of an organization that is deleted; nothing depends on them. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM shadow_tally WHERE org = :org", org).update(connection);
    Sql.of("DELETE FROM shadow_difference WHERE org = :org", org).update(connection);
    return List.of();
  }

  private static void count(Connection connection, String node, Subject subject, ShadowCounts tally)
      throws SQLException {
    Sql.of(COUNT)
        .set("org", subject.org())
        .set("policy", subject.policyId())
        .set("version", subject.version())
        .set("node", node)
        .set("evaluated", tally.evaluated())
        .set("deny", tally.wouldDeny())
        .set("allow", tally.wouldAllow())
        .set("reason", tally.otherReason())
        .set("failed", tally.failed())
        .set("dropped", tally.dropped())
        .update(connection);
  }

  private static void keep(Connection connection, Subject subject, List<JsonObject> differences)
      throws SQLException {
    long place = Sql.of(LAST_PLACE, subject.org(), subject.policyId()).number(connection);
    for (JsonObject difference : differences) {
      place++;
      Sql.of(KEEP, subject.org(), subject.policyId(), place, subject.version(), difference)
          .update(connection);
    }
    Sql.of(FORGET, subject.org(), subject.policyId(), place - MOST_KEPT).update(connection);
  }

  /** Notes that the node has written all it counted. */
  public void finished(String node) {
    storage.update(Sql.of("UPDATE shadow_tally SET unfinished = 0 WHERE node = :node", node));
  }

  /** The version that was tried last and has results. */
  public Optional<Integer> latest(OrgId org, PolicyId id) {
    return storage.first(
        Sql.of(
            "SELECT version FROM shadow_tally",
            Where.of(org, "org").and("policy_id = :policy", id.value()),
            "ORDER BY version DESC LIMIT 1"),
        row -> row.getInt(1));
  }

  /**
   * What a trial has found.
   *
   * @param aliveSince a node that was last seen before then and has not finished was interrupted:
   *     what it counted last may be missing
   */
  public Found found(Subject subject, Instant aliveSince) {
    ShadowCounts tally =
        storage.list(Sql.of(COUNTS, of(subject)), ShadowResults::tally).stream()
            .reduce(ShadowCounts.ZERO, ShadowCounts::plus);
    long kept = storage.number(Sql.of("SELECT count(*) FROM shadow_difference", of(subject)));
    var open = of(subject).and("unfinished = 1").and(NODE_GONE, aliveSince);
    long interrupted = storage.number(Sql.of("SELECT count(*) FROM shadow_tally", open));
    return new Found(tally, kept, interrupted);
  }

  /** StoredDifference differences, newest first, below {@code before}. */
  public List<StoredDifference> differences(Subject subject, long before, int limit) {
    return storage.list(
        Sql.of(
            "SELECT place, body FROM shadow_difference",
            of(subject).and("place < :before", before),
            "ORDER BY place DESC LIMIT :limit",
            limit),
        row -> new StoredDifference(row.getLong("place"), Rows.json(row, "body")));
  }

  private static Where of(Subject subject) {
    return Where.of(subject.org(), "org")
        .and("policy_id = :policy", subject.policyId())
        .and("version = :version", subject.version());
  }

  private static ShadowCounts tally(ResultSet row) throws SQLException {
    return new ShadowCounts(
        row.getLong("evaluated"),
        row.getLong("would_deny"),
        row.getLong("would_allow"),
        row.getLong("other_reason"),
        row.getLong("failed"),
        row.getLong("dropped"));
  }

  /**
   * What a trial has counted.
   *
   * @param evaluated decisions that were held against the tried version
   * @param wouldDeny allows that it would have denied
   * @param wouldAllow denies that it would have allowed
   * @param otherReason denies that it would have given another code
   * @param failed decisions it could not evaluate: it does not compile, or its evaluation broke
   * @param dropped decisions that were not evaluated because the queue was full, or differences
   *     that could not be written
   */
  public record ShadowCounts(
      long evaluated,
      long wouldDeny,
      long wouldAllow,
      long otherReason,
      long failed,
      long dropped) {
    public static final ShadowCounts ZERO = new ShadowCounts(0, 0, 0, 0, 0, 0);

    static final ShadowCounts SAME = new ShadowCounts(1, 0, 0, 0, 0, 0);
    static final ShadowCounts FAILED = new ShadowCounts(1, 0, 0, 0, 1, 0);
    static final ShadowCounts DROPPED = new ShadowCounts(0, 0, 0, 0, 0, 1);

    static ShadowCounts of(ShadowRun.Difference.Kind kind) {
      return switch (kind) {
        case WOULD_DENY -> new ShadowCounts(1, 1, 0, 0, 0, 0);
        case WOULD_ALLOW -> new ShadowCounts(1, 0, 1, 0, 0, 0);
        case OTHER_REASON -> new ShadowCounts(1, 0, 0, 1, 0, 0);
      };
    }

    public ShadowCounts plus(ShadowCounts other) {
      return new ShadowCounts(
          evaluated + other.evaluated,
          wouldDeny + other.wouldDeny,
          wouldAllow + other.wouldAllow,
          otherReason + other.otherReason,
          failed + other.failed,
          dropped + other.dropped);
    }

    /** Differences of every kind. */
    public long differing() {
      return wouldDeny + wouldAllow + otherReason;
    }

    /** Decisions that would have been the same. */
    public long same() {
      return evaluated - differing() - failed;
    }
  }
}

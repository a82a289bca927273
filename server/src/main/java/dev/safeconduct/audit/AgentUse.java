package dev.safeconduct.audit;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.OrgId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * When each policy last allowed something to an agent, and the maximum on one day. It is counted
 * along the log after the decision, and marks the agents whose use or passport has changed.
 */
public final class AgentUse {
  /** The policy of a row that only marks a change of the passport. */
  private static final String PASSPORT = "";

  /** A request may bring its own policy under any id, so an agent may have used very many. */
  private static final int MOST_POLICIES = 200;

  private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

  /** An agent is marked again only for its first use in an hour. */
  private static final String ADD =
      """
      INSERT INTO agent_use (org, agent, policy, last_at, day, in_day, most_in_day, marked)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (org, agent, policy) DO UPDATE SET
             marked = CASE WHEN excluded.policy = ''
                             OR excluded.last_at / 3600000 > agent_use.last_at / 3600000
                           THEN excluded.marked ELSE agent_use.marked END,
             last_at = CASE WHEN excluded.last_at > agent_use.last_at
                            THEN excluded.last_at ELSE agent_use.last_at END,
             most_in_day = CASE
               WHEN excluded.day = agent_use.day
                 AND agent_use.in_day + excluded.in_day > agent_use.most_in_day
               THEN agent_use.in_day + excluded.in_day
               WHEN excluded.most_in_day > agent_use.most_in_day THEN excluded.most_in_day
               ELSE agent_use.most_in_day END,
             in_day = CASE WHEN excluded.day = agent_use.day
                           THEN agent_use.in_day + excluded.in_day
                           WHEN excluded.day > agent_use.day THEN excluded.in_day
                           ELSE agent_use.in_day END,
             day = CASE WHEN excluded.day > agent_use.day
                        THEN excluded.day ELSE agent_use.day END
      """;

  private static final String OF =
      """
      SELECT policy, last_at, most_in_day FROM agent_use
       WHERE org = :org AND agent = :agent AND policy <> ''
       ORDER BY last_at DESC LIMIT :limit
      """;

  private static final String MARKED =
      """
      SELECT org, agent, max(marked) AS marked FROM agent_use
       WHERE marked > 0 GROUP BY org, agent LIMIT :limit
      """;

  private static final String UNMARK =
      """
      UPDATE agent_use SET marked = 0
       WHERE org = :org AND agent = :agent AND marked > 0 AND marked <= :marked
      """;

  private AgentUse() {}

  /** The allowed actions of one agent by one policy on one UTC day, as days since 1970. */
  record Key(OrgId org, String agent, String policy, long day) implements Comparable<Key> {
    /** Returns the key of counted records; of a changed passport if {@code policy} is empty. */
    static Key of(DecisionCounts.Alike seen, String agent) {
      boolean decision = seen.allow().isPresent();
      return new Key(
          seen.org(),
          agent,
          decision ? seen.policy().orElse(PASSPORT) : PASSPORT,
          decision ? Math.floorDiv(seen.minuteMs(), DAY_MS) : 0);
    }

    private static final Comparator<Key> ORDER =
        Comparator.<Key, String>comparing(key -> key.org().value())
            .thenComparing(Key::agent)
            .thenComparing(Key::policy)
            .thenComparingLong(Key::day);

    /** As rows are stored; the days of an agent and policy are added in their order. */
    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * How often and when.
   *
   * @param lastMs the start of the minute of the last one
   */
  record Times(long number, long lastMs) {
    Times and(Times other) {
      return new Times(number + other.number, Math.max(lastMs, other.lastMs));
    }
  }

  /**
   * The use of one policy.
   *
   * @param last when it last allowed something, to the minute
   * @param mostInDay the maximum of allowed actions on one UTC day
   */
  public record Use(Instant last, long mostInDay) {}

  /**
   * An agent whose use or passport has changed.
   *
   * @param mark the position in the log at which that was counted
   */
  public record Marked(OrgId org, String agent, long mark) {}

  /** Adds what was counted up to a position of the log, within a transaction. */
  static void add(Connection connection, Map<Key, Times> counted, long position)
      throws SQLException {
    try (PreparedStatement add = connection.prepareStatement(ADD)) {
      for (Key key : counted.keySet().stream().sorted().toList()) {
        Times times = counted.getOrDefault(key, new Times(0, 0));
        add.setString(1, key.org().value());
        add.setString(2, Sql.text(key.agent()));
        add.setString(3, Sql.text(key.policy()));
        add.setLong(4, times.lastMs());
        add.setLong(5, key.day());
        add.setLong(6, times.number());
        add.setLong(7, times.number());
        add.setLong(8, position);
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  /**
   * Adds the use of an agent to that of its template, within a transaction, and marks the template.
   * The maximum is that of the busiest instance: each has the caps of the template.
   */
  public static void addTo(
      Connection connection, Marked agent, String template, Map<String, Use> uses)
      throws SQLException {
    try (PreparedStatement add = connection.prepareStatement(ADD)) {
      for (Map.Entry<String, Use> each : uses.entrySet()) {
        add.setString(1, agent.org().value());
        add.setString(2, template);
        add.setString(3, Sql.text(each.getKey()));
        add.setLong(4, each.getValue().last().toEpochMilli());
        add.setLong(5, -1); // no day of the template's own
        add.setLong(6, 0);
        add.setLong(7, each.getValue().mostInDay());
        add.setLong(8, agent.mark());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  /** Returns the use of an agent by policy, of the policies that were used last. */
  public static Map<String, Use> of(Reads reads, OrgId org, String agent) {
    var uses = new TreeMap<String, Use>();
    reads.list(
        OF,
        row ->
            uses.put(
                row.getString("policy"),
                new Use(Instant.ofEpochMilli(row.getLong("last_at")), row.getLong("most_in_day"))),
        org,
        agent,
        MOST_POLICIES);
    return uses;
  }

  /** Returns some of the marked agents. */
  public static List<Marked> marked(Reads reads, int limit) {
    return reads.list(
        MARKED,
        row ->
            new Marked(
                new OrgId(row.getString("org")), row.getString("agent"), row.getLong("marked")),
        limit);
  }

  /** Removes the mark of an agent unless it was marked again, within a transaction. */
  public static void unmark(Connection connection, Marked agent) throws SQLException {
    Sql.of(UNMARK, agent.org(), agent.agent(), agent.mark()).update(connection);
  }

  /** Forgets an agent that has no passport, within a transaction. */
  public static void forget(Connection connection, Marked agent) throws SQLException {
    Sql.of("DELETE FROM agent_use WHERE org = :org AND agent = :agent", agent.org(), agent.agent())
        .update(connection);
  }

  /** Forgets the agents of an organization that is deleted. */
  public static List<String> forgetAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM agent_use WHERE org = :org", org).update(connection);
    return List.of();
  }
}

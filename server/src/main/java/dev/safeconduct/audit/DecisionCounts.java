package dev.safeconduct.audit;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Counts of decisions, and an index of occurrences in parts of the log. Dry runs do not count as
 * decisions, but occur.
 */
public final class DecisionCounts {
  private static final String ADD =
      """
      INSERT INTO tally (org, kind, bucket, name, allowed, denied)
      VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (org, kind, bucket, name)
          DO UPDATE SET allowed = tally.allowed + excluded.allowed,
                        denied = tally.denied + excluded.denied
      """;

  private static final String SINCE =
      """
      SELECT name, sum(allowed) AS allowed, sum(denied) AS denied, count(*) OVER () AS names,
             sum(CASE WHEN sum(denied) > 0 THEN 1 ELSE 0 END) OVER () AS names_denied
        FROM tally
       WHERE org = :org AND kind = :kind AND bucket >= :from AND bucket % :width = 0
       GROUP BY name\
      """;

  private static final String NAMES =
      """
      SELECT count(*) AS names, coalesce(sum(CASE WHEN denied > 0 THEN 1 ELSE 0 END), 0) AS denied
        FROM tally
       WHERE org = :org AND kind = :kind AND bucket = :bucket
      """;

  /** The kinds of counts, in buckets of time. */
  public enum Kind {
    /** All decisions of an organization in a minute. */
    MINUTE("minute", 60_000, 60_000, 2),
    /** All decisions of an organization in an hour. */
    HOUR("hour", 3_600_000, 3_600_000, 32),
    /**
     * The decisions of one agent in an hour. An hour begins every half hour: see {@link #lately}.
     */
    AGENT("agent", 3_600_000, 1_800_000, 2),
    /** The decisions of one agent in a day of UTC. */
    AGENT_DAY("agent_day", 86_400_000, 86_400_000, 32),
    /** The denials of one agent in ten minutes, which begin every five. */
    DENIALS("denials", 600_000, 300_000, 2),
    /** The decisions of one policy, in hours as those of an agent. */
    POLICY("policy", 3_600_000, 1_800_000, 32),
    /** The decisions of one reason code, likewise. */
    CODE("code", 3_600_000, 1_800_000, 32);

    private final String wire;
    private final long widthMs;
    private final long everyMs;
    private final int keepDays;

    Kind(String wire, long widthMs, long everyMs, int keepDays) {
      this.wire = wire;
      this.widthMs = widthMs;
      this.everyMs = everyMs;
      this.keepDays = keepDays;
    }

    /** Returns the time before which its buckets are not kept. */
    long oldest(long nowMs) {
      return nowMs - TimeUnit.DAYS.toMillis(keepDays);
    }

    public String wire() {
      return wire;
    }

    /**
     * Returns the start of the oldest bucket that contains the time. Hours begin every half hour,
     * so this one covers at least the last thirty minutes. It alone shows recent activity, and a
     * page needs no sum.
     */
    public long lately(long atMs) {
      return Math.floorDiv(atMs, everyMs) * everyMs - widthMs + everyMs;
    }

    /** Returns the starts of all buckets that contain the time, the oldest first. */
    public long[] buckets(long atMs) {
      var begins = new long[Math.toIntExact(widthMs / everyMs)];
      for (int i = 0; i < begins.length; i++) {
        begins[i] = lately(atMs) + i * everyMs;
      }
      return begins;
    }
  }

  /** A counted subject. */
  public record Key(OrgId org, Kind kind, long bucket, String name) {
    /** As rows are stored, so that neighbors are written together. */
    private static final Comparator<Key> STORED =
        Comparator.<Key, String>comparing(key -> key.org().value())
            .thenComparing(key -> key.kind().wire())
            .thenComparingLong(Key::bucket)
            .thenComparing(Key::name);
  }

  /** The numbers of allowed and denied decisions. */
  public record Counts(long allowed, long denied) {
    public static final Counts NONE = new Counts(0, 0);

    public long total() {
      return allowed + denied;
    }

    public Counts plus(Counts other) {
      return new Counts(allowed + other.allowed, denied + other.denied);
    }
  }

  /** What was counted of a part of the log. */
  record Counted(
      Map<Key, Counts> counts,
      Set<LogParts.Occurrence> occurrences,
      Map<AgentUse.Key, AgentUse.Times> uses) {}

  /** A name with its counts. */
  public record Named(String name, Counts counts) {}

  /**
   * Records that are equal for counting.
   *
   * @param part the part that contains them
   * @param minuteMs the start of the minute in which they were created
   * @param allow of decisions that were not erased
   */
  public record Alike(
      long part,
      OrgId org,
      String kind,
      long minuteMs,
      Optional<String> agent,
      Optional<String> policy,
      Optional<Boolean> allow,
      Optional<String> code,
      boolean dryRun) {}

  /**
   * The number of names.
   *
   * @param denied the number of names with at least one deny
   */
  public record Names(long all, long denied) {}

  /** The number of names, and those with the highest counts. */
  public record Top(Names names, List<Named> first) {
    public Top {
      first = List.copyOf(first);
    }
  }

  private final Storage storage;
  private final String alike;

  public DecisionCounts(Storage storage) {
    this.storage = storage;
    this.alike = alike(storage.database());
  }

  /**
   * Groups equal records in the database: most records are equal, so few rows are returned. In
   * canonical JSON a quote inside a text is escaped, so the searched text can occur only as a
   * member. Nearly every decision has the first of the two, near its beginning.
   */
  private static String alike(Database database) {
    return """
    SELECT log_index / %d AS part, org, kind, at_ms / 60000 AS minute, agent, policy, allow,
           code, CASE WHEN kind <> 'decision' THEN 0
                      WHEN %s > 0 THEN 0
                      WHEN %s > 0 THEN 1
                      ELSE 0 END AS dry_run, count(*) AS number
      FROM audit
     WHERE log_index >= :from AND log_index < :to
     GROUP BY part, org, kind, minute, agent, policy, allow, code, dry_run
    """
        .formatted(
            LogParts.PART,
            database.place("\"dry_run\":false", "body"),
            database.place("\"dry_run\":true", "body"));
  }

  /** Returns the first log position that has not been counted. */
  public long next() {
    return LogParts.parted(storage.reads());
  }

  /** Returns the position after the log's last record. */
  public long end() {
    return MerkleLog.size(storage.reads());
  }

  /** Returns the numbers of equal records from one position up to another, exclusive. */
  Map<Alike, Long> records(long from, long to) {
    var numbers = new HashMap<Alike, Long>();
    storage.list(
        alike, row -> numbers.merge(alike(row), row.getLong("number"), Long::sum), from, to);
    return numbers;
  }

  /** Returns the records that this node commits from now on. */
  Uncounted uncounted() {
    var uncounted = new Uncounted();
    storage.changes().listenToAppends(uncounted);
    return uncounted;
  }

  private static Alike alike(ResultSet row) throws SQLException {
    return new Alike(
        row.getLong("part"),
        new OrgId(row.getString("org")),
        row.getString("kind"),
        60_000 * row.getLong("minute"),
        Rows.text(row, "agent"),
        Rows.text(row, "policy"),
        Rows.number(row, "allow").map(allow -> allow == 1),
        Rows.text(row, "code"),
        row.getInt("dry_run") == 1);
  }

  /**
   * Adds what was counted and advances the position, in one transaction.
   *
   * @return false when another node has counted from there; nothing is added then
   */
  boolean add(long from, long to, Counted counted) {
    return storage.change(connection -> {
      boolean first =
          Sql.of(
                      """
                      UPDATE tally_progress SET next_index = :to
                       WHERE id = 1 AND next_index = :from
                      """,
                      to,
                      from)
                  .update(connection)
              == 1;
      if (first) {
        addCounts(connection, counted.counts());
        LogParts.add(connection, counted.occurrences());
        AgentUse.add(connection, counted.uses(), to);
      }
      return MutationResult.none(first);
    });
  }

  private static void addCounts(Connection connection, Map<Key, Counts> counts)
      throws SQLException {
    try (PreparedStatement add = connection.prepareStatement(ADD)) {
      for (Map.Entry<Key, Counts> each :
          counts.entrySet().stream().sorted(Map.Entry.comparingByKey(Key.STORED)).toList()) {
        add.setString(1, each.getKey().org().value());
        add.setString(2, each.getKey().kind().wire());
        add.setLong(3, each.getKey().bucket());
        add.setString(4, Sql.text(each.getKey().name()));
        add.setLong(5, each.getValue().allowed());
        add.setLong(6, each.getValue().denied());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  /** Deletes the organization's buckets of the kind that begin before the time. */
  public void forget(OrgId org, Kind kind, long beforeMs) {
    storage.update(
        Sql.of(
            "DELETE FROM tally WHERE org = :org AND kind = :kind AND bucket < :before",
            org,
            kind.wire(),
            beforeMs));
  }

  /** Returns the organization's buckets since the time, by their start. */
  public Map<Long, Counts> buckets(OrgId org, Kind kind, long fromMs) {
    var buckets = new TreeMap<Long, Counts>();
    storage.list(
        """
        SELECT bucket, allowed, denied FROM tally
         WHERE org = :org AND kind = :kind AND bucket >= :from AND name = ''
        """,
        row -> buckets.put(row.getLong("bucket"), counts(row)),
        org,
        kind.wire(),
        fromMs);
    return buckets;
  }

  /** Returns one name's counts in the bucket. */
  public Counts of(OrgId org, Kind kind, String name, long bucket) {
    return storage
        .first(
            """
            SELECT allowed, denied FROM tally
             WHERE org = :org AND kind = :kind AND bucket = :bucket AND name = :name
            """,
            DecisionCounts::counts,
            org,
            kind.wire(),
            bucket,
            name)
        .orElse(Counts.NONE);
  }

  /** Returns the number of names in the bucket. */
  public Names names(OrgId org, Kind kind, long bucket) {
    return storage
        .first(
            NAMES,
            row -> new Names(row.getLong("names"), row.getLong("denied")),
            org,
            kind.wire(),
            bucket)
        .orElse(new Names(0, 0));
  }

  /**
   * Returns the names with the highest counts in the bucket.
   *
   * @param denied whether only denies count
   */
  public List<Named> top(OrgId org, Kind kind, long bucket, boolean denied, int limit) {
    return storage.list(
        "SELECT name, allowed, denied FROM tally"
            + " WHERE org = :org AND kind = :kind AND bucket = :bucket"
            + (denied ? " AND denied > 0 ORDER BY denied" : " ORDER BY allowed + denied")
            + " DESC, name LIMIT :limit",
        row -> new Named(row.getString("name"), counts(row)),
        org,
        kind.wire(),
        bucket,
        limit);
  }

  /**
   * Returns the names with the highest counts since the time, over all buckets that do not overlap,
   * and how many names there are.
   *
   * @param fromMs a time at which a bucket of the kind's width begins
   * @param denied whether only denies count
   */
  public Top topSince(OrgId org, Kind kind, long fromMs, boolean denied, int limit) {
    var names = new AtomicReference<>(new Names(0, 0));
    List<Named> top =
        storage.list(
            SINCE
                + (denied
                    ? " HAVING sum(denied) > 0 ORDER BY sum(denied)"
                    : " ORDER BY sum(allowed + denied)")
                + " DESC, name LIMIT :limit",
            row -> {
              names.set(new Names(row.getLong("names"), row.getLong("names_denied")));
              return new Named(row.getString("name"), counts(row));
            },
            org,
            kind.wire(),
            fromMs,
            kind.widthMs,
            limit);
    return new Top(names.get(), top);
  }

  private static Counts counts(ResultSet row) throws SQLException {
    return new Counts(row.getLong("allowed"), row.getLong("denied"));
  }
}

package dev.safeconduct.audit;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds an organization's records by agent, pack, code, outcome, kind or time, however rare they
 * are. It reads only the parts of the log in which all of these occur, and the unindexed end of the
 * log. The result is the same as that of a scan.
 */
public final class LogParts {
  /** The number of log positions in one part. */
  public static final int PART = 512;

  /** The end of what is in the parts. */
  public static final String PARTED = "SELECT next_index FROM tally_progress WHERE id = 1";

  private static final int MOST_PARTS = 64;

  /** The maximum positions of the parts read at once; a group may end earlier at the limit. */
  private static final int MOST_PLACES = 16 * PART;

  private static final String ADD =
      "INSERT INTO log_part (org, facet, name, part) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";

  private static final String FORGET =
      """
      DELETE FROM log_part
       WHERE org = :org AND facet = :facet AND name = :agent AND part = :part
         AND NOT EXISTS (SELECT 1 FROM audit
                          WHERE log_index >= :first AND log_index < :end
                            AND org = :org AND agent = :agent)
      """;

  /**
   * Asks for each part in turn. A planner may turn EXISTS into a join, which returns the parts in
   * another order.
   */
  private static final String OCCURS =
      """
      AND (SELECT 1 FROM log_part q
            WHERE q.org = :org AND q.part = p.part AND q.facet = :%s AND %s LIMIT 1) IS NOT NULL
      """;

  /** The properties that records are indexed by. */
  public enum Facet {
    AGENT,
    POLICY,
    CODE,
    /** Whether a decision allowed; the names are true and false. */
    ALLOW,
    KIND,
    /** The time of a record; names of {@link #minute} sort by time. */
    MINUTE;

    private final String wire = name().toLowerCase(Locale.ROOT);

    public String wire() {
      return wire;
    }

    /** Returns the name of the minute of that millisecond. */
    public static String minute(long epochMs) {
      String minute = Long.toString(Math.max(0, Math.floorDiv(epochMs, MINUTE_MS)));
      return "0".repeat(MINUTE_DIGITS - minute.length()) + minute;
    }

    private static final long MINUTE_MS = 60_000;

    /** The number of digits of the largest possible minute. */
    private static final int MINUTE_DIGITS = 15;
  }

  /**
   * An occurrence of a name in a part of the log.
   *
   * @param part of {@link #PART} positions each, the first is 0
   */
  public record Occurrence(OrgId org, Facet facet, String name, long part) {}

  /** As rows are stored, so that neighbors are written together. */
  private static final Comparator<Occurrence> STORED =
      Comparator.<Occurrence, String>comparing(each -> each.org().value())
          .thenComparingLong(Occurrence::part)
          .thenComparing(each -> each.facet().wire())
          .thenComparing(Occurrence::name);

  private final Reads reads;

  LogParts(Reads reads) {
    this.reads = reads;
  }

  /** Adds the occurrences within a transaction; known ones remain. */
  public static void add(Connection connection, Set<Occurrence> occurrences) throws SQLException {
    try (PreparedStatement add = connection.prepareStatement(ADD)) {
      for (Occurrence each : occurrences.stream().sorted(STORED).toList()) {
        add.setString(1, each.org().value());
        add.setString(2, each.facet().wire());
        add.setString(3, Sql.text(each.name()));
        add.setLong(4, each.part());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  /** Removes the agent from the part when the part has none of its records left. */
  static void forget(Connection connection, String org, String agent, long part)
      throws SQLException {
    Sql.of(FORGET)
        .set("org", org)
        .set("facet", Facet.AGENT.wire())
        .set("agent", agent)
        .set("part", part)
        .set("first", part * PART)
        .set("end", (part + 1) * PART)
        .update(connection);
  }

  /** Returns whether the filter restricts by an indexed property; if not, a scan is as good. */
  static boolean narrows(AuditFilter filter) {
    return !facets(filter).isEmpty()
        || !filter.agents().isEmpty()
        || filter.from().isPresent()
        || filter.to().isPresent();
  }

  /** Returns the names that the filter restricts by, the most selective first. */
  private static Map<Facet, String> facets(AuditFilter filter) {
    var facets = new EnumMap<Facet, String>(Facet.class);
    filter.agent().map(AgentId::value).ifPresent(agent -> facets.put(Facet.AGENT, agent));
    filter.policyId().ifPresent(policy -> facets.put(Facet.POLICY, policy));
    filter.code().ifPresent(code -> facets.put(Facet.CODE, code));
    filter.allow().ifPresent(allow -> facets.put(Facet.ALLOW, Boolean.toString(allow)));
    filter.kind().map(RecordKind::wire).ifPresent(kind -> facets.put(Facet.KIND, kind));
    return facets;
  }

  /** Returns the records after a position and before another one, the newest first. */
  List<StoredRecord> newest(OrgId org, AuditFilter filter, long after, long before, int limit) {
    long parted = parted(reads);
    long from = after + 1;
    var rest = new Stretch(Math.max(parted, from), before);
    var found = new ArrayList<StoredRecord>(scan(org, filter, rest, false, limit));
    long end = Math.min(before, parted);
    while (found.size() < limit && from < end) {
      List<Long> parts = parts(org, filter, from, end, false);
      for (Stretch stretch : stretches(parts, from, end)) {
        if (found.size() < limit) {
          found.addAll(scan(org, filter, stretch, false, limit - found.size()));
        }
      }
      if (parts.size() < MOST_PARTS) {
        break;
      }
      end = parts.getLast() * PART;
    }
    return found;
  }

  /** Returns the records after a position, the oldest first. */
  List<StoredRecord> oldest(OrgId org, AuditFilter filter, long after, int limit) {
    long parted = parted(reads);
    var found = new ArrayList<StoredRecord>();
    long from = after + 1;
    while (found.size() < limit && from < parted) {
      List<Long> parts = parts(org, filter, from, parted, true);
      for (Stretch stretch : stretches(parts, from, parted)) {
        if (found.size() < limit) {
          found.addAll(scan(org, filter, stretch, true, limit - found.size()));
        }
      }
      if (parts.size() < MOST_PARTS) {
        break;
      }
      from = (parts.getLast() + 1) * PART;
    }
    if (found.size() < limit) {
      var rest = new Stretch(Math.max(parted, after + 1), Long.MAX_VALUE);
      found.addAll(scan(org, filter, rest, true, limit - found.size()));
    }
    return found;
  }

  /** Returns the end of the indexed part of the log; read first, so that no part is missed. */
  public static long parted(Reads reads) {
    return reads.first(PARTED, row -> row.getLong(1)).orElse(0L);
  }

  /**
   * Returns the next parts in which all requested names occur, up to a limit. The table is ordered
   * by part, as it is written; each part is checked for each name.
   */
  private List<Long> parts(OrgId org, AuditFilter filter, long from, long end, boolean ascending) {
    long first = from / PART;
    long last = Math.floorDiv(end - 1, PART);
    if (last < first) {
      return List.of();
    }
    var text =
        new StringBuilder(
            "WITH RECURSIVE p(part) AS (SELECT CAST(:first AS BIGINT) UNION ALL"
                + (ascending
                    ? " SELECT part + 1 FROM p WHERE part < :last)"
                    : " SELECT part - 1 FROM p WHERE part > :last)")
                + " SELECT part FROM p WHERE 1 = 1 ");
    Map<Facet, String> facets = facets(filter);
    facets.forEach((facet, _) ->
        text.append(OCCURS.formatted(facet.wire(), "q.name = :" + facet.wire() + "_name")));
    List<AgentId> agents = filter.padded();
    if (!agents.isEmpty()) {
      text.append(OCCURS.formatted("agents", "q.name IN " + AuditFilter.parameters(agents.size())));
    }
    boolean times = filter.from().isPresent() || filter.to().isPresent();
    if (times) {
      text.append(OCCURS.formatted("minute", "q.name >= :from AND q.name <= :to"));
    }
    Sql query =
        Sql.of(text + "LIMIT :limit")
            .set("first", ascending ? first : last)
            .set("last", ascending ? last : first)
            .set("limit", MOST_PARTS);
    if (times || !facets.isEmpty() || !agents.isEmpty()) {
      query.set("org", org);
    }
    if (!agents.isEmpty()) {
      query.set("agents", Facet.AGENT.wire());
    }
    for (int i = 0; i < agents.size(); i++) {
      query.set("one" + i, agents.get(i));
    }
    facets.forEach(
        (facet, name) -> query.set(facet.wire(), facet.wire()).set(facet.wire() + "_name", name));
    if (times) {
      query
          .set("minute", Facet.MINUTE.wire())
          .set("from", Facet.minute(filter.from().map(Instant::toEpochMilli).orElse(0L)))
          .set(
              "to",
              Facet.minute(filter.to().map(to -> to.toEpochMilli() - 1).orElse(Long.MAX_VALUE)));
    }
    return reads.list(query, row -> row.getLong(1));
  }

  /** A range of positions, the end exclusive. */
  private record Stretch(long from, long to) {}

  /** Returns the ranges of the parts, cut to positions from {@code first} up to {@code end}. */
  private static List<Stretch> stretches(List<Long> parts, long first, long end) {
    var stretches = new ArrayList<Stretch>();
    for (long part : parts) {
      long from = part * PART;
      long to = from + PART;
      Stretch last = stretches.isEmpty() ? new Stretch(-1, -1) : stretches.getLast();
      boolean grows =
          (last.to() == from || last.from() == to) && last.to() - last.from() < MOST_PLACES;
      if (grows) {
        stretches.removeLast();
        from = Math.min(from, last.from());
        to = Math.max(to, last.to());
      }
      stretches.add(new Stretch(from, to));
    }
    stretches.replaceAll(
        each -> new Stretch(Math.max(each.from(), first), Math.min(each.to(), end)));
    return stretches;
  }

  private List<StoredRecord> scan(
      OrgId org, AuditFilter filter, Stretch stretch, boolean ascending, int limit) {
    Where where =
        AuditLog.narrowed(new Tenant.One(org), filter)
            .and("log_index >= :first", stretch.from())
            .and("log_index < :end", stretch.to());
    return stretch.from() < stretch.to()
        ? AuditLog.records(reads, where, ascending ? "ASC" : "DESC", limit)
        : List.of();
  }
}

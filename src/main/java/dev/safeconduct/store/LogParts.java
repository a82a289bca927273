package dev.safeconduct.store;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.tally.Tallies;
import dev.safeconduct.tally.Tallies.Facet;
import dev.safeconduct.tally.Tallies.Occurrence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds an organization's records of an agent, a pack, a code, an outcome, a kind or a time,
 * however rare they are: it looks only into parts of the log in which all of these occur, and
 * through the end of the log, which is not parted yet. What it finds is what a scan finds.
 */
record LogParts(Reads reads) {
  private static final int MOST_PARTS = 64;

  /** A stretch of parts that belong together is read at once; the limit ends it early. */
  private static final int MOST_PLACES = 16 * Tallies.PART;

  static void add(Connection connection, Set<Occurrence> occurrences) throws SQLException {
    try (PreparedStatement add =
        connection.prepareStatement(
            "INSERT INTO log_part (org, facet, name, part) VALUES (?, ?, ?, ?)"
                + " ON CONFLICT DO NOTHING")) {
      for (Occurrence each : occurrences) {
        add.setString(1, each.org().value());
        add.setString(2, each.facet().wire());
        add.setString(3, Sql.text(each.name()));
        add.setLong(4, each.part());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  /** Forgets that the agent occurs in the part when none of its records is left there. */
  static void forget(Connection connection, String org, String agent, long part)
      throws SQLException {
    Sql.update(
        connection,
        "DELETE FROM log_part WHERE org = ? AND facet = ? AND name = ? AND part = ?"
            + " AND NOT EXISTS (SELECT 1 FROM audit WHERE log_index >= ? AND log_index < ?"
            + " AND org = ? AND agent = ?)",
        org,
        Facet.AGENT.wire(),
        agent,
        part,
        part * Tallies.PART,
        (part + 1) * Tallies.PART,
        org,
        agent);
  }

  /** Whether the filter narrows by anything that parts tell of; if not, a scan is as good. */
  static boolean narrows(AuditFilter filter) {
    return !facets(filter).isEmpty() || filter.from().isPresent() || filter.to().isPresent();
  }

  /** By which names the filter narrows, the most telling first. */
  private static Map<Facet, String> facets(AuditFilter filter) {
    var facets = new EnumMap<Facet, String>(Facet.class);
    filter.agent().map(AgentId::value).ifPresent(agent -> facets.put(Facet.AGENT, agent));
    filter.policyId().ifPresent(policy -> facets.put(Facet.POLICY, policy));
    filter.code().ifPresent(code -> facets.put(Facet.CODE, code));
    filter.allow().ifPresent(allow -> facets.put(Facet.ALLOW, Boolean.toString(allow)));
    filter.kind().map(RecordKind::wire).ifPresent(kind -> facets.put(Facet.KIND, kind));
    return facets;
  }

  /** Those before a place, the newest first. */
  List<StoredRecord> newest(OrgId org, AuditFilter filter, long before, int limit) {
    long parted = parted();
    var found = new ArrayList<StoredRecord>(scan(org, filter, parted, before, false, limit));
    long end = Math.min(before, parted);
    while (found.size() < limit) {
      List<Long> parts = parts(org, filter, 0, end, false);
      for (Stretch stretch : stretches(parts)) {
        if (found.size() < limit) {
          found.addAll(
              scan(
                  org,
                  filter,
                  stretch.from(),
                  Math.min(stretch.to(), end),
                  false,
                  limit - found.size()));
        }
      }
      if (parts.size() < MOST_PARTS) {
        break;
      }
      end = parts.getLast() * Tallies.PART;
    }
    return found;
  }

  /** Those after a place, the oldest first. */
  List<StoredRecord> oldest(OrgId org, AuditFilter filter, long after, int limit) {
    long parted = parted();
    var found = new ArrayList<StoredRecord>();
    long from = after + 1;
    while (found.size() < limit && from < parted) {
      List<Long> parts = parts(org, filter, from, parted, true);
      for (Stretch stretch : stretches(parts)) {
        if (found.size() < limit) {
          found.addAll(
              scan(
                  org,
                  filter,
                  Math.max(stretch.from(), from),
                  Math.min(stretch.to(), parted),
                  true,
                  limit - found.size()));
        }
      }
      if (parts.size() < MOST_PARTS) {
        break;
      }
      from = (parts.getLast() + 1) * Tallies.PART;
    }
    if (found.size() < limit) {
      found.addAll(
          scan(
              org,
              filter,
              Math.max(parted, after + 1),
              Long.MAX_VALUE,
              true,
              limit - found.size()));
    }
    return found;
  }

  /** Up to where the log is parted; read first, so that no part is missed. */
  private long parted() {
    return reads
        .first("SELECT next_index FROM tally_progress WHERE id = 1", row -> row.getLong(1))
        .orElse(0L);
  }

  /**
   * Parts in which everything occurs that is asked for, as many as are looked at at once. The table
   * is ordered by part, as it is written; each part is asked for each name.
   */
  private List<Long> parts(OrgId org, AuditFilter filter, long from, long end, boolean ascending) {
    long first = from / Tallies.PART;
    long last = Math.floorDiv(end - 1, Tallies.PART);
    if (last < first) {
      return List.of();
    }
    var parameters = new ArrayList<Object>(List.of(ascending ? first : last));
    parameters.add(ascending ? last : first);
    var sql =
        new StringBuilder(
            ascending
                ? "WITH RECURSIVE p(part) AS (SELECT CAST(? AS BIGINT) UNION ALL"
                    + " SELECT part + 1 FROM p WHERE part < ?) SELECT part FROM p WHERE 1 = 1"
                : "WITH RECURSIVE p(part) AS (SELECT CAST(? AS BIGINT) UNION ALL"
                    + " SELECT part - 1 FROM p WHERE part > ?) SELECT part FROM p WHERE 1 = 1");
    String occurs =
        " AND EXISTS (SELECT 1 FROM log_part q WHERE q.org = ? AND q.part = p.part AND q.facet = ?";
    facets(filter)
        .forEach((facet, name) -> {
          sql.append(occurs).append(" AND q.name = ?)");
          parameters.addAll(List.of(org.value(), facet.wire(), name));
        });
    if (filter.from().isPresent() || filter.to().isPresent()) {
      sql.append(occurs).append(" AND q.name >= ? AND q.name <= ?)");
      parameters.addAll(
          List.of(
              org.value(),
              Facet.MINUTE.wire(),
              Facet.minute(filter.from().map(Instant::toEpochMilli).orElse(0L)),
              Facet.minute(filter.to().map(to -> to.toEpochMilli() - 1).orElse(Long.MAX_VALUE))));
    }
    parameters.add(MOST_PARTS);
    return reads.list(sql + " LIMIT ?", row -> row.getLong(1), parameters);
  }

  /** Places from one up to another, exclusive. */
  private record Stretch(long from, long to) {}

  private static List<Stretch> stretches(List<Long> parts) {
    var stretches = new ArrayList<Stretch>();
    for (long part : parts) {
      long from = part * Tallies.PART;
      long to = from + Tallies.PART;
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
    return stretches;
  }

  private List<StoredRecord> scan(
      OrgId org, AuditFilter filter, long from, long to, boolean ascending, int limit) {
    Where where =
        SqlAuditLog.narrowed(new Tenant.One(org), filter)
            .and("log_index >= ?", from)
            .and("log_index < ?", to);
    return from < to
        ? SqlAuditLog.records(reads, where, ascending ? "ASC" : "DESC", limit)
        : List.of();
  }
}

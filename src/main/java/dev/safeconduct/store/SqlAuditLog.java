package dev.safeconduct.store;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.RecordedOutcome;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** Reads audit records. */
record SqlAuditLog(Reads reads) implements AuditLog {
  private static final int PAGE = 2_000;

  /** How far the clocks of nodes may be apart when records of a time are looked for. */
  private static final Duration MOST_SKEW = Duration.ofHours(1);

  @Override
  public Optional<StoredRecord> find(Tenant tenant, UUID id) {
    return reads
        .first(AuditRows.BY_ID, AuditRows::read, AuditRows.bytes(id))
        .filter(record -> tenant.sees(record.entry().org()));
  }

  @Override
  public List<StoredRecord> history(Tenant tenant, AgentId agent, long before, int limit) {
    // The words of the partial index, so that the planner knows it for this query's, and not the
    // column of another index, by which it would go through all of an organization's records.
    var where =
        Where.of(tenant, "org || ''")
            .and("agent = ?", agent.value())
            .and("kind <> 'decision'")
            .and("log_index < ?", before);
    return reads.list(
        "SELECT "
            + AuditRows.COLUMNS
            + " FROM audit"
            + where.sql()
            + " ORDER BY log_index DESC LIMIT ?",
        AuditRows::read,
        where.parameters(limit));
  }

  @Override
  public List<StoredRecord> list(Tenant tenant, AuditFilter filter, long before, int limit) {
    return tenant instanceof Tenant.One(OrgId org) && LogParts.narrows(filter)
        ? new LogParts(reads).newest(org, filter, before, limit)
        : records(reads, narrowed(tenant, filter).and("log_index < ?", before), "DESC", limit);
  }

  @Override
  public List<StoredRecord> ascending(Tenant tenant, AuditFilter filter, long after, int limit) {
    return tenant instanceof Tenant.One(OrgId org) && LogParts.narrows(filter)
        ? new LogParts(reads).oldest(org, filter, after, limit)
        : records(reads, narrowed(tenant, filter).and("log_index > ?", after), "ASC", limit);
  }

  static List<StoredRecord> records(Reads reads, Where where, String order, int limit) {
    return reads.list(
        "SELECT "
            + AuditRows.COLUMNS
            + " FROM audit"
            + where.sql()
            + " ORDER BY log_index "
            + order
            + " LIMIT ?",
        AuditRows::read,
        where.parameters(limit));
  }

  @Override
  public void outcomes(Tenant tenant, AuditFilter filter, Predicate<RecordedOutcome> each) {
    long after = place(filter.from().orElseThrow().minus(MOST_SKEW)).orElse(Long.MAX_VALUE) - 1;
    long end = place(filter.to().orElseThrow().plus(MOST_SKEW)).orElse(Long.MAX_VALUE);
    while (true) {
      Where where =
          narrowed(tenant, filter)
              .and("length(salt) > 0")
              .and("log_index > ?", after)
              .and("log_index < ?", end);
      List<Placed> page =
          reads.list(
              "SELECT log_index, at_ms, agent, policy, allow, code, body FROM audit"
                  + where.sql()
                  + " ORDER BY log_index LIMIT ?",
              SqlAuditLog::outcome,
              where.parameters(PAGE));
      for (Placed placed : page) {
        if (!each.test(placed.outcome())) {
          return;
        }
        after = placed.logIndex();
      }
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  /** The first record's place whose id was made at that time or later; ids begin with it. */
  private Optional<Long> place(Instant from) {
    byte[] id = AuditRows.bytes(new UUID(from.toEpochMilli() << 16, 0));
    return reads.first(
        "SELECT log_index FROM audit WHERE record_id >= ? ORDER BY record_id LIMIT 1",
        row -> row.getLong(1),
        id);
  }

  private record Placed(long logIndex, RecordedOutcome outcome) {}

  private static Placed outcome(ResultSet row) throws SQLException {
    return new Placed(
        row.getLong(1),
        new RecordedOutcome(
            Instant.ofEpochMilli(row.getLong(2)),
            text(row, 3),
            text(row, 4),
            row.getInt(5) == 1,
            text(row, 6),
            rule(row.getBytes(7))));
  }

  private static String text(ResultSet row, int column) throws SQLException {
    String text = row.getString(column);
    return text == null ? "" : text;
  }

  private static Optional<String> rule(byte[] body) throws SQLException {
    try {
      return Json.parseObject(body)
          .array("reasons")
          .filter(reasons -> !reasons.isEmpty() && reasons.get(0) instanceof JsonObject)
          .flatMap(reasons -> ((JsonObject) reasons.get(0)).string("rule"));
    } catch (JsonFault e) {
      throw new SQLException("a stored decision is not JSON", e);
    }
  }

  static Where narrowed(Tenant tenant, AuditFilter filter) {
    var where = Where.of(tenant, "org");
    filter.kind().map(RecordKind::wire).ifPresent(kind -> where.and("kind = ?", kind));
    filter.agent().map(AgentId::value).ifPresent(agent -> where.and("agent = ?", agent));
    filter.policyId().ifPresent(policy -> where.and("policy = ?", policy));
    filter.allow().ifPresent(allow -> where.and("allow = ?", allow ? 1 : 0));
    filter.code().ifPresent(code -> where.and("code = ?", code));
    filter.from().map(Instant::toEpochMilli).ifPresent(from -> where.and("at_ms >= ?", from));
    filter.to().map(Instant::toEpochMilli).ifPresent(to -> where.and("at_ms < ?", to));
    return where;
  }
}

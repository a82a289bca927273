package dev.safeconduct.audit;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.StoredRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** Reads the audit log; records are appended in the transaction of the change they describe. */
public final class AuditLog {
  private static final int PAGE = 2_000;

  /** The largest expected clock difference between nodes when records are searched by time. */
  private static final Duration MOST_SKEW = Duration.ofHours(1);

  private static final String OUTCOMES =
      "SELECT log_index, at_ms, agent, policy, allow, code, body FROM audit";

  private final Reads reads;

  public AuditLog(Reads reads) {
    this.reads = reads;
  }

  /** Returns the id of a record in a request; empty if it is not a valid one. */
  public static Optional<UUID> recordId(String text) {
    try {
      return text.length() == 36 ? Optional.of(UUID.fromString(text)) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Returns the record, if the tenant may see it. */
  public Optional<StoredRecord> find(Tenant tenant, UUID id) {
    return reads
        .first(AuditRows.BY_ID, AuditRows::read, id)
        .filter(record -> tenant.sees(record.entry().org()));
  }

  /**
   * Returns the records of the agent's passport except decisions, newest first.
   *
   * @param before only records with a smaller log index; {@link Long#MAX_VALUE} for the newest
   */
  public List<StoredRecord> history(Tenant tenant, AgentId agent, long before, int limit) {
    // Repeats the condition of the partial index, so that the planner uses it for this query. With
    // the index of another column it would scan all of an organization's records.
    var where =
        Where.of(tenant, "org || ''")
            .and("agent = :agent", agent)
            .and("kind <> 'decision'")
            .and("kind <> 'hook_call'")
            .and("log_index < :before", before);
    return records(reads, where, "DESC", limit);
  }

  /**
   * Returns the tenant's records, newest first.
   *
   * @param before only records with a smaller log index; {@link Long#MAX_VALUE} for the newest
   * @param limit the maximum number
   */
  public List<StoredRecord> list(Tenant tenant, AuditFilter filter, long before, int limit) {
    return tenant instanceof Tenant.One(OrgId org) && LogParts.narrows(filter)
        ? new LogParts(reads).newest(org, filter, -1, before, limit)
        : records(
            reads, narrowed(tenant, filter).and("log_index < :before", before), "DESC", limit);
  }

  /**
   * Returns the organization's records after a position, newest first. It reads nothing of the log
   * before that position.
   */
  public List<StoredRecord> later(OrgId org, AuditFilter filter, long after, int limit) {
    return new LogParts(reads).newest(org, filter, after, Long.MAX_VALUE, limit);
  }

  /** Returns the last position of the indexed part of the log; -1 if nothing is indexed. */
  public long indexed() {
    return LogParts.parted(reads) - 1;
  }

  /**
   * Returns the tenant's records, oldest first.
   *
   * @param after only records with a greater log index; -1 for the oldest
   */
  public List<StoredRecord> ascending(Tenant tenant, AuditFilter filter, long after, int limit) {
    return tenant instanceof Tenant.One(OrgId org) && LogParts.narrows(filter)
        ? new LogParts(reads).oldest(org, filter, after, limit)
        : records(reads, narrowed(tenant, filter).and("log_index > :after", after), "ASC", limit);
  }

  static List<StoredRecord> records(Reads reads, Where where, String order, int limit) {
    return reads.list(
        Sql.of(AuditRows.SELECT, where, "ORDER BY log_index " + order + " LIMIT :limit", limit),
        AuditRows::read);
  }

  /**
   * Passes each decision's outcome in a period to {@code each}, oldest first, without erased ones.
   *
   * @param filter with a start and an end
   * @param each returns whether to continue
   */
  public void outcomes(Tenant tenant, AuditFilter filter, Predicate<RecordedOutcome> each) {
    long after = place(filter.from().orElseThrow().minus(MOST_SKEW)).orElse(Long.MAX_VALUE) - 1;
    long end = place(filter.to().orElseThrow().plus(MOST_SKEW)).orElse(Long.MAX_VALUE);
    while (true) {
      Where where =
          narrowed(tenant, filter)
              .and("length(salt) > 0")
              .and("log_index > :after", after)
              .and("log_index < :end", end);
      List<Placed> page =
          reads.list(
              Sql.of(OUTCOMES, where, "ORDER BY log_index LIMIT :limit", PAGE), AuditLog::outcome);
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

  /**
   * Returns the position of the first record whose id was created at that time or later; ids begin
   * with it.
   */
  private Optional<Long> place(Instant from) {
    return reads.first(
        "SELECT log_index FROM audit WHERE record_id >= :id ORDER BY record_id LIMIT 1",
        row -> row.getLong(1),
        new UUID(from.toEpochMilli() << 16, 0));
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
    filter.kind().ifPresent(kind -> where.and("kind = :kind", kind.wire()));
    filter.agent().ifPresent(agent -> where.and("agent = :agent", agent));
    filter.policyId().ifPresent(policy -> where.and("policy = :policy", policy));
    filter.allow().ifPresent(allow -> where.and("allow = :allow", allow));
    filter.code().ifPresent(code -> where.and("code = :code", code));
    filter.from().ifPresent(from -> where.and("at_ms >= :from", from));
    filter.to().ifPresent(to -> where.and("at_ms < :to", to));
    if (!filter.agents().isEmpty()) {
      List<AgentId> agents = filter.padded();
      where.and("agent IN " + AuditFilter.parameters(agents.size()), agents.toArray());
    }
    return where;
  }
}

package dev.safeconduct.store;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads audit records. */
record SqlAuditLog(Reads reads) implements AuditLog {
  @Override
  public Optional<StoredRecord> find(Tenant tenant, UUID id) {
    return reads
        .first(AuditRows.BY_ID, AuditRows::read, AuditRows.bytes(id))
        .filter(record -> tenant.sees(record.entry().org()));
  }

  @Override
  public List<StoredRecord> history(Tenant tenant, AgentId agent, long before, int limit) {
    // The words of the partial index, so that the planner knows it for this query's.
    var where =
        Where.of(tenant, "org")
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
    var where = Where.of(tenant, "org").and("log_index < ?", before);
    filter.kind().map(RecordKind::wire).ifPresent(kind -> where.and("kind = ?", kind));
    filter.agent().map(AgentId::value).ifPresent(agent -> where.and("agent = ?", agent));
    filter.policyId().ifPresent(policy -> where.and("policy = ?", policy));
    filter.allow().ifPresent(allow -> where.and("allow = ?", allow ? 1 : 0));
    filter.code().ifPresent(code -> where.and("code = ?", code));
    filter.from().map(Instant::toEpochMilli).ifPresent(from -> where.and("at_ms >= ?", from));
    filter.to().map(Instant::toEpochMilli).ifPresent(to -> where.and("at_ms < ?", to));
    return reads.list(
        "SELECT "
            + AuditRows.COLUMNS
            + " FROM audit"
            + where.sql()
            + " ORDER BY log_index DESC LIMIT ?",
        AuditRows::read,
        where.parameters(limit));
  }
}

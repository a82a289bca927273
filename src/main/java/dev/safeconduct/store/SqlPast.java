package dev.safeconduct.store;

import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.replay.Past;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Recorded decisions and passports, page by page. */
record SqlPast(Reads reads) implements Past {
  private static final int PAGE = 1_000;

  @Override
  public void decisions(Span span, Consumer<StoredRecord> each) {
    Tenant tenant = span.org().<Tenant>map(Tenant.One::new).orElseGet(Tenant.Everyone::new);
    long after = Long.MIN_VALUE;
    List<StoredRecord> page;
    do {
      var where =
          Where.of(tenant, "org")
              .and("log_index > ?", after)
              .and("kind = ?", RecordKind.DECISION.wire())
              .and("policy = ?", span.policyId())
              .and("at_ms >= ?", span.from().toEpochMilli())
              .and("at_ms < ?", span.to().toEpochMilli());
      page =
          reads.list(
              "SELECT "
                  + AuditRows.COLUMNS
                  + " FROM audit"
                  + where.sql()
                  + " ORDER BY log_index LIMIT ?",
              AuditRows::read,
              where.parameters(PAGE));
      for (StoredRecord record : page) {
        each.accept(record);
        after = record.logIndex();
      }
    } while (page.size() == PAGE);
  }

  @Override
  public Optional<JsonObject> passport(AgentId agent) {
    return reads
        .first(
            "SELECT " + PassportRows.COLUMNS + " FROM passport WHERE agent_id = ?",
            PassportRows::read,
            agent.value())
        .map(Passport::document);
  }

  @Override
  public List<StoredRecord> history(AgentId agent) {
    return reads.list(
        "SELECT "
            + AuditRows.COLUMNS
            + " FROM audit WHERE agent = ? AND kind <> 'decision' ORDER BY log_index",
        AuditRows::read,
        List.of(agent.value()));
  }
}

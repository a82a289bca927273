package dev.safeconduct.store;

import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.replay.Past;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

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
  public Set<UUID> released(Span span) {
    Tenant tenant = span.org().<Tenant>map(Tenant.One::new).orElseGet(Tenant.Everyone::new);
    // One may be given back after the span's end; none is before the decision.
    var where =
        Where.of(tenant, "org")
            .and("kind = ?", RecordKind.RESERVATION_RELEASED.wire())
            .and("at_ms >= ?", span.from().toEpochMilli());
    return reads
        .list(
            "SELECT " + AuditRows.COLUMNS + " FROM audit" + where.sql(),
            AuditRows::read,
            where.parameters())
        .stream()
        .flatMap(record -> decisionId(record).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Optional<UUID> decisionId(StoredRecord released) {
    try {
      return Json.parseObject(released.entry().body()).string("decision_id").map(UUID::fromString);
    } catch (JsonFault e) {
      return Optional.empty(); // erased
    }
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

package dev.safeconduct.simulate;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Recorded decisions and passports, read page by page without changing anything. */
public final class DecisionHistory {
  private static final int PAGE = 1_000;

  private final Reads reads;

  public DecisionHistory(Reads reads) {
    this.reads = reads;
  }

  /**
   * Which decisions to look at.
   *
   * @param org only those of the organization
   * @param policyId the id of the pack that decided
   * @param from inclusive
   * @param to exclusive
   */
  public record Span(Optional<OrgId> org, String policyId, Instant from, Instant to) {
    private Tenant tenant() {
      return org.<Tenant>map(Tenant.One::new).orElseGet(Tenant.Everyone::new);
    }

    private Where where() {
      return Where.of(tenant(), "org").and("at_ms >= :from", from);
    }
  }

  /** The decisions in the order of the log, one after the other. */
  public void decisions(Span span, Consumer<StoredRecord> each) {
    long after = Long.MIN_VALUE;
    List<StoredRecord> page;
    do {
      var where =
          span.where()
              .and("log_index > :after", after)
              .and("kind = :kind", RecordKind.DECISION.wire())
              .and("policy = :policy", span.policyId())
              .and("at_ms < :to", span.to());
      page =
          reads.list(
              Sql.of(AuditRows.SELECT, where, "ORDER BY log_index LIMIT :limit", PAGE),
              AuditRows::read);
      for (StoredRecord record : page) {
        each.accept(record);
        after = record.logIndex();
      }
    } while (page.size() == PAGE);
  }

  /** The packs of an organization's decisions since then. */
  List<String> policies(OrgId org, Instant from) {
    return reads.list(
        Sql.of("SELECT DISTINCT policy FROM audit", since(org, from), "ORDER BY policy"),
        row -> row.getString(1));
  }

  /** The number of an organization's decisions since then, counted up to the limit. */
  long count(OrgId org, Instant from, int limit) {
    return reads.number(
        Sql.of(
            "SELECT count(*) FROM (SELECT 1 FROM audit",
            since(org, from),
            "LIMIT :limit) counted",
            limit));
  }

  private static Where since(OrgId org, Instant from) {
    return Where.of(org, "org")
        .and("at_ms >= :from", from)
        .and("kind = :kind", RecordKind.DECISION.wire())
        .and("policy IS NOT NULL");
  }

  /** The span's decisions whose charges have been given back, with the times of that. */
  public Map<UUID, Instant> released(Span span) {
    return named(span, RecordKind.RESERVATION_RELEASED, _ -> true);
  }

  /** The ids of the span's decisions that a person has approved. */
  public Set<UUID> approved(Span span) {
    return named(
            span,
            RecordKind.APPROVAL_ANSWERED,
            body -> body.string("change").equals(Optional.of("approved")))
        .keySet();
  }

  /**
   * The decisions that records of a kind name, with the times of these; of one organization, found
   * by the log's index.
   */
  private Map<UUID, Instant> named(Span span, RecordKind kind, Predicate<JsonObject> which) {
    // A record may be after the span's end; none is before the decision.
    var filter =
        new AuditFilter(
            Optional.of(kind),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(span.from()),
            Optional.empty(),
            Set.of());
    var log = new AuditLog(reads);
    var found = new HashMap<UUID, Instant>();
    long after = -1;
    List<StoredRecord> page;
    do {
      page = log.ascending(span.tenant(), filter, after, PAGE);
      for (StoredRecord record : page) {
        Json.kept(record.entry().body())
            .filter(which)
            .flatMap(body -> body.string("decision_id"))
            .map(UUID::fromString)
            .ifPresent(id -> found.put(id, record.entry().at()));
        after = record.logIndex();
      }
    } while (page.size() == PAGE);
    return found;
  }

  /** The passport as it is now. */
  public Optional<JsonObject> passport(AgentId agent) {
    return Passports.find(reads, agent).map(Passport::document);
  }

  /** What has been recorded of the passport, oldest first; no decisions. */
  public List<StoredRecord> history(AgentId agent) {
    return reads.list(
        AuditRows.SELECT + "WHERE agent = :agent AND kind <> 'decision' ORDER BY log_index",
        AuditRows::read,
        agent);
  }
}

package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code AuditLog} promises, on either database. */
final class AuditLogTest extends StoreContract {
  private static final Tenant MINE = new Tenant.One(ORG);

  @BeforeEach
  void write() {
    add(record(ORG, "a", "p1", true, "oap.allowed", NOW)); // 0
    add(record(OTHER, "a", "p1", true, "oap.allowed", NOW)); // 1
    add(record(ORG, "b", "p2", false, "oap.limit_exceeded", NOW.plusSeconds(1))); // 2
    add(record(ORG, "a", "p2", true, "oap.allowed", NOW.plusSeconds(2))); // 3
    new ApiKeys(store()).create(key("k"), Fixtures.change(RecordKind.KEY_CREATED)); // 4
  }

  @Test
  void listsTheTenantsNewestFirstPageByPage() {
    assertThat(list(MINE, AuditFilter.ALL, Long.MAX_VALUE, 2)).containsExactly(4L, 3L);
    assertThat(list(MINE, AuditFilter.ALL, 3, 2)).containsExactly(2L, 0L);
    assertThat(list(new Tenant.One(OTHER), AuditFilter.ALL, Long.MAX_VALUE, 9)).containsExactly(1L);
    assertThat(list(new Tenant.Everyone(), AuditFilter.ALL, 4, 9)).containsExactly(3L, 2L, 1L, 0L);
  }

  @Test
  void narrowsByEveryPartOfTheFilter() {
    Optional<String> any = Optional.empty();
    assertThat(found(filter("a", any, Optional.empty(), any))).containsExactly(3L, 0L);
    assertThat(found(filter("", Optional.of("p2"), Optional.empty(), any))).containsExactly(3L, 2L);
    assertThat(found(filter("", any, Optional.of(false), any))).containsExactly(2L);
    assertThat(found(filter("", any, Optional.of(true), any))).containsExactly(3L, 0L);
    assertThat(found(filter("", any, Optional.empty(), Optional.of("oap.limit_exceeded"))))
        .containsExactly(2L);
    assertThat(found(between(RecordKind.DECISION, NOW.plusSeconds(1), NOW.plusSeconds(2))))
        .containsExactly(2L);
    assertThat(found(between(RecordKind.KEY_CREATED, NOW, NOW.plusSeconds(9)))).containsExactly(4L);
  }

  @Test
  void showsARecordToItsTenantOnly() {
    AuditRecord entry = record(ORG, "nul\0", "p", true, "c", NOW);
    add(entry);
    assertThat(new AuditLog(store().reads()).find(MINE, entry.id())).isPresent();
    assertThat(new AuditLog(store().reads()).find(new Tenant.One(OTHER), entry.id())).isEmpty();
    assertThat(new AuditLog(store().reads()).find(new Tenant.Everyone(), UUID.randomUUID()))
        .isEmpty();
    // PostgreSQL has no U+0000; what was signed is in the body all the same.
    assertThat(found(filter("nul\0", Optional.empty(), Optional.empty(), Optional.empty())))
        .containsExactly(5L);
  }

  private List<Long> found(AuditFilter filter) {
    return list(MINE, filter, Long.MAX_VALUE, 99);
  }

  private List<Long> list(Tenant tenant, AuditFilter filter, long before, int limit) {
    return new AuditLog(store().reads())
        .list(tenant, filter, before, limit).stream().map(StoredRecord::logIndex).toList();
  }

  private static AuditFilter filter(
      String agent, Optional<String> policy, Optional<Boolean> allow, Optional<String> code) {
    return new AuditFilter(
        Optional.empty(),
        agent.isEmpty() ? Optional.empty() : Optional.of(new AgentId(agent)),
        policy,
        allow,
        code,
        Optional.empty(),
        Optional.empty(),
        Set.of());
  }

  private static AuditFilter between(RecordKind kind, Instant from, Instant to) {
    return new AuditFilter(
        Optional.of(kind),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(from),
        Optional.of(to),
        Set.of());
  }

  private void add(AuditRecord entry) {
    assertThat(
            new Ledger(store())
                .commit(
                    new LedgerEntry(
                        entry,
                        List.of(),
                        List.of(),
                        new ReadSet(Long.MAX_VALUE, List.of()),
                        Optional.empty())))
        .isInstanceOf(Commit.Recorded.class);
  }

  private static AuditRecord record(
      OrgId org, String agent, String policy, boolean allow, String code, Instant at) {
    return new AuditRecord(
        UUID.randomUUID(),
        RecordKind.DECISION,
        org,
        at,
        Optional.of(new AgentId(agent)),
        Optional.of(policy),
        Optional.of(allow),
        Optional.of(code),
        new byte[] {1},
        new byte[64],
        new byte[] {2});
  }
}

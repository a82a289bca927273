package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static dev.safeconduct.ledger.Fixtures.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportFilter;
import dev.safeconduct.passport.Passports;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code Passports} promises, on either database. */
final class PassportsTest extends StoreContract {
  private static final PassportFilter ALL =
      new PassportFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  @Test
  void keepsTheDocumentAsWritten() {
    Passport passport = passport("ap_1");
    add(passport);
    Passport found = new Passports(store()).find(new AgentId("ap_1")).orElseThrow();
    assertThat(found).isEqualTo(passport);
    assertThat(Json.text(found.document())).isEqualTo(Json.text(passport.document()));
  }

  @Test
  void showsATenantOnlyItsOwn() {
    add(passport(ORG, "ap_1", Optional.of("bot")));
    add(passport(OTHER, "ap_2", Optional.of("bot")));
    var mine = new Tenant.One(ORG);
    assertThat(new Passports(store()).find(mine, new AgentId("ap_2"))).isEmpty();
    assertThat(new Passports(store()).bySlug(mine, "bot").orElseThrow().agentId().value())
        .isEqualTo("ap_1");
    assertThat(ids(mine, ALL)).containsExactly("ap_1");
    assertThat(ids(new Tenant.Everyone(), ALL)).containsExactly("ap_2", "ap_1");
    assertThat(new Passports(store()).list(mine, ALL, Optional.of(new AgentId("ap_2")), 9))
        .isEmpty();
    assertThat(new Passports(store()).count(mine, ALL)).isEqualTo(1);
  }

  @Test
  void refusesATakenIdOrSlugAndWritesNothing() {
    add(passport(ORG, "ap_1", Optional.of("bot")));
    long before = store().changes().sequence();
    for (Passport taken : List.of(passport("ap_1"), passport(ORG, "ap_2", Optional.of("bot")))) {
      assertThatThrownBy(() -> add(taken))
          .satisfies(e ->
              assertThat(((ProblemException) e).problem()).isInstanceOf(Problem.Conflict.class));
    }
    assertThat(store().changes().sequence()).isEqualTo(before);
    assertThat(
            new AuditLog(store().reads())
                .list(new Tenant.Everyone(), AuditFilter.ALL, Long.MAX_VALUE, 9))
        .hasSize(1);
  }

  /** One that was brought over with an id of its own is found by its UUID too, and announced so. */
  @Test
  void findsABroughtOverPassportByItsUuid() {
    String alias = "ap_0123456789abcdef0123456789abcdef";
    AgentId byUuid = AgentId.hosted("01234567-89ab-cdef-0123-456789abcdef").orElseThrow();
    var heard = new ArrayList<String>();
    store().changes().listen(change -> heard.add(change.subject()));
    Passport passport = broughtOver("legacy");
    add(passport);
    assertThat(byUuid.value()).isEqualTo(alias);
    assertThat(new Passports(store()).find(byUuid)).contains(passport);
    assertThat(new Passports(store()).find(new Tenant.One(OTHER), byUuid)).isEmpty();
    assertThat(heard).containsExactly("agent:legacy", "agent:" + alias);
    for (Passport taken : List.of(broughtOver("another"), passport(alias))) {
      assertThatThrownBy(() -> add(taken))
          .satisfies(e ->
              assertThat(((ProblemException) e).problem()).isInstanceOf(Problem.Conflict.class));
    }
  }

  private static Passport broughtOver(String id) {
    Passport plain = passport(id);
    return new Passport(
        plain.agentId(),
        plain.owner(),
        plain.slug(),
        plain.name(),
        plain.status(),
        plain.revision(),
        plain.createdAt(),
        plain
            .document()
            .with("passport_id", new JsonString("01234567-89ab-cdef-0123-456789abcdef")));
  }

  @Test
  void replacesOnlyTheExpectedRevision() {
    add(passport(ORG, "ap_1", Optional.of("one")));
    add(passport(ORG, "ap_2", Optional.of("two")));
    Passport second = revised("ap_1", 2, "one", PassportStatus.SUSPENDED);
    assertThat(store().change(Passports.replacing(second, 1, change(RecordKind.STATUS_CHANGE))))
        .isTrue();
    assertThat(new Passports(store()).find(new AgentId("ap_1"))).contains(second);
    assertThat(store().change(Passports.replacing(second, 1, change(RecordKind.STATUS_CHANGE))))
        .isFalse();
    assertThatThrownBy(() ->
            store()
                .change(
                    Passports.replacing(
                        revised("ap_1", 3, "two", PassportStatus.ACTIVE),
                        2,
                        change(RecordKind.PASSPORT_UPDATED))))
        .isInstanceOf(ProblemException.class);
    assertThat(new Passports(store()).find(new AgentId("ap_1"))).contains(second);
  }

  @Test
  void filtersByStatusFrameworkCapabilityAndText() {
    add(passport(ORG, "ap_1", Optional.of("Shop-100%_bot")));
    add(passport("ap_2"));
    store()
        .change(
            Passports.replacing(
                revised("ap_2", 2, "other", PassportStatus.REVOKED), 1, change(RecordKind.CONFIG)));
    assertThat(find(Optional.of(PassportStatus.REVOKED), "", "", "")).containsExactly("ap_2");
    assertThat(find(Optional.empty(), "claude-code", "", "")).containsExactly("ap_2", "ap_1");
    assertThat(find(Optional.empty(), "claude", "", "")).isEmpty();
    assertThat(find(Optional.empty(), "", "payments.charge", "")).hasSize(2);
    assertThat(find(Optional.empty(), "", "payments%", "")).isEmpty();
    assertThat(find(Optional.empty(), "", "", "SHOP")).containsExactly("ap_1");
    assertThat(find(Optional.empty(), "", "", "100%_")).containsExactly("ap_1");
    assertThat(find(Optional.empty(), "", "", "100__")).isEmpty();
  }

  @Test
  void listsPageByPage() {
    for (int i = 0; i < 5; i++) {
      add(passport("ap_" + i));
    }
    List<Passport> first =
        new Passports(store()).list(new Tenant.One(ORG), ALL, Optional.empty(), 3);
    assertThat(first).extracting(p -> p.agentId().value()).containsExactly("ap_4", "ap_3", "ap_2");
    assertThat(
            new Passports(store())
                .list(new Tenant.One(ORG), ALL, Optional.of(first.getLast().agentId()), 3))
        .extracting(p -> p.agentId().value())
        .containsExactly("ap_1", "ap_0");
  }

  private List<String> find(
      Optional<PassportStatus> status, String framework, String capability, String text) {
    return ids(
        new Tenant.One(new OrgId(ORG.value())),
        new PassportFilter(
            status,
            Optional.of(framework).filter(name -> !name.isEmpty()),
            Optional.of(capability).filter(name -> !name.isEmpty()),
            Optional.of(text).filter(name -> !name.isEmpty())));
  }

  private List<String> ids(Tenant tenant, PassportFilter filter) {
    List<String> ids =
        new Passports(store())
            .list(tenant, filter, Optional.empty(), 99).stream()
                .map(passport -> passport.agentId().value())
                .toList();
    assertThat(new Passports(store()).count(tenant, filter)).isEqualTo(ids.size());
    return ids;
  }

  private void add(Passport passport) {
    new Passports(store()).create(passport, change(RecordKind.PASSPORT_ISSUED));
  }

  private static Passport revised(String id, long revision, String slug, PassportStatus status) {
    Passport base = passport(id);
    return new Passport(
        base.agentId(),
        base.owner(),
        Optional.of(slug),
        base.name(),
        status,
        revision,
        NOW,
        base.document().with("status", new JsonString(status.wire())));
  }
}

package dev.safeconduct.passport;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.Erasures;
import dev.safeconduct.audit.Retention;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.PackVersion;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.Rooms;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An organization is read, renamed and deleted; nothing of it works afterwards, on any node. */
final class DeleteOrganizationTest {
  private static final Map<String, String> DATABASE = open(EachStore.POSTGRES.settings());
  @AutoClose private static final TestService one = TestService.start(DATABASE);
  @AutoClose private static final TestService two = TestService.start(DATABASE);
  @AutoClose private static final TestService alone = TestService.start(open(Map.of()));

  private static final List<String> EMPTIED =
      List.of(
          "approval",
          "claim",
          "halt",
          "managed_object",
          "member",
          "node_pack",
          "observe_mode",
          "organization_pack",
          "shadow_difference",
          "shadow_tally",
          "webhook",
          "webhook_delivery");

  private static Map<String, String> open(Map<String, String> settings) {
    var all = new HashMap<>(settings);
    all.put("WEBHOOK_PRIVATE_NETWORKS", "allow");
    return all;
  }

  private static TestService first(EachStore store) {
    return store == EachStore.POSTGRES ? one : alone;
  }

  private static TestService last(EachStore store) {
    return store == EachStore.POSTGRES ? two : alone;
  }

  private static Questions.Tenant made(TestService node, String name) {
    return Questions.Tenant.made(node, name, "'read', 'issue', 'status'");
  }

  private static String path(Questions.Tenant tenant) {
    return "/api/orgs/" + tenant.org();
  }

  private static Reply delete(Calls calls, Questions.Tenant tenant, String name) {
    return calls.delete(
        path(tenant) + "?reason=the%20contract%20ended&confirm=" + name.replace(" ", "%20"));
  }

  @Test
  void isReadAndRenamedByItsAdministrators() {
    TestService node = alone;
    Questions.Tenant tenant = made(node, "Renamed works");
    Calls admin = node.member(tenant.org(), "admin-of-renamed@example.com", "admin");
    Calls member = node.member(tenant.org(), "member-of-renamed@example.com", "member");
    assertThat(admin.get(path(tenant)).string("name")).isEqualTo("Renamed works");
    Reply renamed = admin.patch(path(tenant), "{\"name\": \"Better works\"}");
    assertThat(renamed.string("name")).isEqualTo("Better works");
    assertThat(node.admin().get(path(tenant)).string("name")).isEqualTo("Better works");
    assertThat(node.admin().get("/api/audit?kind=config&org_id=" + tenant.org()).text())
        .contains("organization_renamed", "\"previous_name\":\"Renamed works\"");
    for (String body : List.of("{}", "{\"name\": \"\"}", "{\"name\": 7}")) {
      assertThat(admin.patch(path(tenant), body).string("field")).isEqualTo("name");
    }
    assertThat(admin.patch(path(tenant), "{\"id\": \"x\"}").status()).isEqualTo(400);
    Calls key = node.withKey(tenant.key());
    for (Calls calls : List.of(member, key)) {
      assertThat(calls.get(path(tenant)).status()).isEqualTo(403);
      assertThat(calls.patch(path(tenant), "{\"name\": \"x\"}").status()).isEqualTo(403);
      assertThat(delete(calls, tenant, "Better works").status()).isEqualTo(403);
    }
    String other = "/api/orgs/" + node.org();
    assertThat(admin.get(other).status()).isEqualTo(404);
    assertThat(admin.patch(other, "{\"name\": \"x\"}").status()).isEqualTo(404);
    assertThat(delete(admin, tenant, "Better works").status()).isEqualTo(403);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("timing")
  void nothingOfItWorksAfterItsDeletion(EachStore store) throws SQLException {
    TestService node = first(store);
    TestService far = last(store);
    Questions.Tenant tenant = made(node, "Gone works");
    String agent =
        Questions.hosted(node, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
    // On two nodes either may send the email with the link.
    Calls owner =
        store == EachStore.SQLITE
            ? node.member(tenant.org(), "owner-of-gone@example.com", "owner")
            : node.admin();
    Calls key = far.withKey(tenant.key());
    assertThat(Questions.code(key.post(COMMAND, Questions.command(agent, "ls"))))
        .isEqualTo("oap.allowed");
    Reply token =
        node.admin()
            .post(
                "/api/admin/tokens",
                Calls.json("{'name': 'CI', 'role': 'deploy', 'org_id': '" + tenant.org() + "'}"));
    Calls deploy = far.nobody().with("Authorization", "Bearer " + token.string("token"));
    assertThat(deploy.get("/api/passports/" + agent).status()).isEqualTo(200);
    String pack = "acme.stock.gone." + tenant.org().substring(tenant.org().length() - 8) + ".v1";
    assertThat(node.admin().post(path(tenant) + "/policies", StockPack.pack(pack, 10)).status())
        .isEqualTo(201);
    assertThat(
            node.admin()
                .post(
                    "/api/webhooks?org_id=" + tenant.org(),
                    Calls.json("{'url': 'http://127.0.0.1:9/x', 'retry_attempts': 0}"))
                .status())
        .isEqualTo(201);
    String record = record(node, tenant, agent);

    Reply deleted = delete(owner, tenant, "Gone works");
    assertThat(deleted.status()).as(deleted.toString()).isEqualTo(200);
    assertThat(Questions.number(deleted.json(), "passports_revoked")).isEqualTo(1);
    assertThat(Questions.number(deleted.json(), "keys_revoked")).isEqualTo(1);
    JsonObject webhook = deleted.json().object("webhook").orElseThrow();
    assertThat(webhook.string("error")).isPresent();

    assertThat(node.withKey(tenant.key()).get("/api/passports/" + agent).status()).isEqualTo(401);
    unauthorized(far.withKey(tenant.key()), agent);
    for (TestService each : List.of(node, far)) {
      assertThat(each.admin().get(path(tenant)).status()).isEqualTo(404);
      assertThat(each.nobody().get("/api/verify/" + agent).string("status")).isEqualTo("revoked");
      assertThat(Questions.code(each.admin().post(COMMAND, Questions.command(agent, "ls"))))
          .isNotEqualTo("oap.allowed");
    }
    unauthorized(deploy, agent);
    if (store == EachStore.SQLITE) {
      assertThat(Questions.number(deleted.json(), "members_removed")).isEqualTo(1);
      assertThat(owner.get("/api/auth/me").status()).isEqualTo(401);
    }
    assertThat(node.admin().get("/api/orgs?limit=200").text()).doesNotContain(tenant.org());
    assertThat(delete(node.admin(), tenant, "Gone works").status()).isEqualTo(404);
    assertThat(node.admin().get("/api/audit?kind=config&org_id=" + node.org()).text())
        .contains(
            "organization_deleted",
            tenant.org(),
            "\"deleted_name\":\"Gone works\"",
            "\"reason\":\"the contract ended\"");
    erased(node, record);
    if (store == EachStore.POSTGRES) {
      assertThat(left(tenant.org())).isEmpty();
    }
  }

  /** Another node hears of it within a second. */
  private static void unauthorized(Calls calls, String agent) {
    WallClock.within(
        Duration.ofSeconds(1),
        () -> {
          int status = 200;
          while (status == 200) {
            status = calls.get("/api/passports/" + agent).status();
          }
          assertThat(status).isEqualTo(401);
          return status;
        });
  }

  /** Tables that still hold rows of the organization, though nothing needs them. */
  private static List<String> left(String org) throws SQLException {
    var left = new ArrayList<String>();
    try (Connection connection = EachStore.POSTGRES.connection(DATABASE)) {
      for (String table : EMPTIED) {
        String rows = "SELECT 1 FROM " + table + " WHERE org = '" + org + "'";
        try (Statement statement = connection.createStatement();
            ResultSet found = statement.executeQuery(rows)) {
          if (found.next()) {
            left.add(table);
          }
        }
      }
    }
    return left;
  }

  /** Its keys and members lose access first, and a passport that is issued even so is revoked. */
  @ParameterizedTest
  @EnumSource
  void nobodyDelaysItsDeletionByIssuingPassports(EachStore store) {
    TestService node = first(store);
    Questions.Tenant tenant = made(node, "Busy works");
    String agent =
        Questions.hosted(node, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
    var late = new ConcurrentLinkedQueue<String>();
    var statuses = new ConcurrentLinkedQueue<Integer>();
    try (var receiver =
        ScriptedReceiver.start((connection, _) -> {
          connection.request();
          var passport = Questions.passport(Questions.freshAgent(), 9);
          statuses.add(node.withKey(tenant.key()).post("/api/passports", passport).status());
          if (late.isEmpty()) {
            late.add(Questions.hosted(node, tenant.org(), passport));
          }
          connection.send("HTTP/1.1 204 X\r\n\r\n");
        })) {
      assertThat(
              node.admin()
                  .post(
                      "/api/webhooks?org_id=" + tenant.org(),
                      Calls.json("{'url': '" + receiver.url() + "', 'retry_attempts': 0}"))
                  .status())
          .isEqualTo(201);
      Reply deleted = delete(node.admin(), tenant, "Busy works");
      assertThat(deleted.status()).as(deleted.toString()).isEqualTo(200);
      assertThat(Questions.number(deleted.json(), "passports_revoked")).isEqualTo(2);
      assertThat(Questions.number(deleted.json(), "keys_revoked")).isEqualTo(1);
    }
    assertThat(statuses).hasSize(2).containsOnly(401);
    for (String each : List.of(agent, late.element())) {
      assertThat(node.nobody().get("/api/verify/" + each).string("status")).isEqualTo("revoked");
    }
  }

  /** The id of a record about the agent. */
  private static String record(TestService node, Questions.Tenant tenant, String agent) {
    JsonObject record =
        (JsonObject)
            node.admin()
                .get(
                    "/api/audit?kind=passport_issued&org_id=" + tenant.org() + "&agent_id=" + agent)
                .json()
                .array("records")
                .orElseThrow()
                .get(0);
    return record.string("record_id").orElseThrow();
  }

  /** Waits until the record has become a stub; setting a retention wakes what erases. */
  private static void erased(TestService node, String record) {
    long begin = System.nanoTime();
    String text = node.admin().get("/api/audit/" + record).text();
    while (text.contains("Tester") && System.nanoTime() - begin < 20_000_000_000L) {
      Reply set = node.admin().put("/api/orgs/" + node.org() + "/retention", "{\"days\": null}");
      assertThat(set.status()).as(set.toString()).isEqualTo(200);
      text = node.admin().get("/api/audit/" + record).text();
    }
    assertThat(text).contains("erased").doesNotContain("Tester");
  }

  /** Operators do both in the console, where the name is typed to delete. */
  @Test
  void isRenamedAndDeletedInTheConsole() {
    Questions.Tenant tenant = made(alone, "Console works");
    String agent =
        Questions.hosted(alone, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
    Calls operator = alone.operator();
    String form = "/console/organizations";
    Reply page = operator.get(form);
    Map<String, String> named = Map.of("org_id", tenant.org(), "name", "Console & sons");
    Calls forged = operator.with("X-CSRF-Token", "wrong");
    assertThat(Pages.post(forged, form + "/rename", "org_id=" + tenant.org() + "&name=x").status())
        .isEqualTo(403);
    assertThat(Pages.send(operator, form + "/rename", page, named).status()).isEqualTo(303);
    assertThat(alone.admin().get(path(tenant)).string("name")).isEqualTo("Console & sons");
    var fields = new HashMap<>(Map.of("org_id", tenant.org(), "reason", "a test"));
    for (String wrong : List.of("", "Console works", tenant.org())) {
      fields.put("confirm", wrong);
      assertThat(Pages.send(operator, form + "/delete", page, fields).status()).isEqualTo(400);
    }
    assertThat(Pages.send(operator, form + "/delete", page, Map.of()).status()).isEqualTo(400);
    assertThat(alone.admin().get(path(tenant)).status()).isEqualTo(200);
    fields.put("confirm", "Console & sons");
    Reply deleted = Pages.send(operator, form + "/delete", page, fields);
    assertThat(deleted.status()).as(deleted.toString()).isEqualTo(303);
    assertThat(alone.admin().get(path(tenant)).status()).isEqualTo(404);
    assertThat(alone.nobody().get("/api/verify/" + agent).string("status")).isEqualTo("revoked");
  }

  /** A request that was admitted before the deletion adds nothing after it. */
  @Test
  void nothingIsAddedToADeletedOrganization() {
    try (Rooms rooms = new Rooms()) {
      boolean _ =
          rooms.store.change(
              connection -> MutationResult.none(Organizations.delete(connection, rooms.theirs)));
      Problems.fails(Problem.NotFound.class, () -> rooms.passport(rooms.theirs, "Late"));
      var request = new KeyRequest("late", Set.of(Scope.READ), Optional.empty(), Optional.empty());
      Problems.fails(
          Problem.NotFound.class,
          () -> rooms.manageKeys.grant(Rooms.admin(), rooms.theirs, request));
      assertThat(rooms.keys.list(rooms.theirs, Optional.empty(), 9)).isEmpty();
      Instant now = rooms.clock.instant();
      AuditRecord entry =
          rooms.recorder.write(
              RecordKind.CONFIG, rooms.theirs, now, Rooms.admin(), JsonObject.builder().build());
      var halt = new Halt(rooms.theirs, "late", false, now);
      Problems.fails(
          Problem.NotFound.class, () -> new Halts(rooms.store).put(halt, (_, _) -> entry));
      assertThat(new Halts(rooms.store).put(new Halt(Halt.ALL, "late", true, now), (_, _) -> entry))
          .isTrue();
      var mode =
          new ObserveMode(
              rooms.theirs,
              Optional.empty(),
              now.plusSeconds(9),
              false,
              "late",
              "admin",
              now,
              Duration.ZERO);
      var told = new ObserveModes.Told(_ -> {}, entry);
      Problems.fails(
          Problem.NotFound.class, () -> new ObserveModes(rooms.store).put(mode, told, _ -> told));
      var retention = new Retention(rooms.theirs, Optional.of(90), now);
      Problems.fails(
          Problem.NotFound.class, () -> new Erasures(rooms.store).set(retention, _ -> entry));
      assertThat(new Erasures(rooms.store).find(rooms.theirs)).isEmpty();
      var version = new PackVersion(1, "sha256:0", "Late", "1", now, "admin", Optional.empty());
      Problems.fails(
          Problem.NotFound.class,
          () ->
              new HostedPacks(rooms.store)
                  .create(
                      rooms.theirs,
                      new PolicyId("acme.late.v1"),
                      version,
                      JsonObject.builder().build(),
                      entry));
    }
  }

  @Test
  void isRefusedWithoutItsNameAndForTheFirst() {
    Questions.Tenant tenant = made(alone, "Kept works");
    String agent =
        Questions.hosted(alone, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
    for (String query :
        List.of(
            "?reason=x", "?reason=x&confirm=kept%20works", "?reason=x&confirm=" + tenant.org())) {
      Reply refused = alone.admin().delete(path(tenant) + query);
      assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
      assertThat(refused.string("field")).isEqualTo("confirm");
    }
    Reply unreasoned = alone.admin().delete(path(tenant) + "?confirm=Kept%20works");
    assertThat(unreasoned.string("field")).isEqualTo("reason");
    assertThat(alone.admin().delete(path(tenant)).status()).isEqualTo(400);
    Reply read = alone.admin().get("/api/orgs/" + alone.org());
    Reply first = delete(alone.admin(), new Questions.Tenant(alone.org(), ""), read.string("name"));
    assertThat(first.status()).as(first.toString()).isEqualTo(409);
    assertThat(alone.withKey(tenant.key()).get("/api/passports/" + agent).string("status"))
        .isEqualTo("active");
  }
}

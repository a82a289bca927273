package dev.safeconduct.passport;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.Rooms;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One request changes the status of all passports that its filter selects, or of none. */
final class BulkStatusTest {
  private static final String BULK = "/api/admin/status/bulk";
  private static final Pattern EXPECT = Pattern.compile("name=\"expect\" value=\"([^\"]+)\"");
  private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";
  private static final String FAILED =
      "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";

  private static final Map<String, String> DATABASE = EachStore.POSTGRES.settings();
  @AutoClose private static final TestService one = TestService.start(DATABASE);
  @AutoClose private static final TestService two = TestService.start(DATABASE);

  @AutoClose
  private static final TestService alone =
      TestService.start(Map.of("WEBHOOK_PRIVATE_NETWORKS", "allow"));

  /** Signed in once: the link that sets the password works once. */
  private static final Calls operator = alone.operator();

  private static TestService first(EachStore store) {
    return store == EachStore.POSTGRES ? one : alone;
  }

  private static TestService last(EachStore store) {
    return store == EachStore.POSTGRES ? two : alone;
  }

  /** An organization with a key of its own. */
  private record Tenant(TestService node, String org, String key) {
    static Tenant made(TestService node) {
      var made = Questions.Tenant.made(node, "Bulk works", "'read', 'status', 'issue'");
      return new Tenant(node, made.org(), made.key());
    }

    String agent(String framework) {
      JsonObject passport =
          Questions.passport(Questions.freshAgent(), 1_000_000)
              .with(
                  "framework", Calls.json("{'a': ['" + framework + "']}").array("a").orElseThrow());
      return Questions.hosted(node, org, passport);
    }

    String ask(TestService of, String agent) {
      return Questions.code(of.withKey(key).post(COMMAND, Questions.command(agent, "ls")));
    }
  }

  private static Reply bulk(Calls calls, String filter, String status, String more) {
    return calls.post(
        BULK,
        Calls.json(
            "{'filter': {%s}, 'status': '%s', 'reason': 'a stolen key'%s}"
                .formatted(filter, status, more)));
  }

  private static Reply done(Calls calls, String filter, String status) {
    Reply reply = bulk(calls, filter, status, "");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  private static long number(Reply reply, String member) {
    return Questions.number(reply.json(), member);
  }

  /** Each passport of the answer as agent, previous status, status and why it was skipped. */
  private static List<String> items(Reply reply) {
    var items = new ArrayList<String>();
    for (JsonValue each : reply.json().array("passports").orElseThrow()) {
      JsonObject item = (JsonObject) each;
      items.add(
          item.string("agent_id").orElseThrow()
              + " "
              + item.string("previous_status").orElse("-")
              + " "
              + item.string("status").orElse("-")
              + " "
              + item.string("skipped").orElse("-"));
    }
    return items;
  }

  @ParameterizedTest
  @EnumSource
  void suspendsWhatTheFilterSelectsOnEachNodeAndNothingElse(EachStore store) {
    TestService node = first(store);
    Tenant ours = Tenant.made(node);
    Tenant theirs = Tenant.made(node);
    String active = ours.agent("bulk-a");
    String other = ours.agent("bulk-b");
    String foreign = theirs.agent("bulk-a");
    String suspended = ours.agent("bulk-a");
    String revoked = ours.agent("bulk-a");
    Questions.status(node, suspended, "suspended");
    Questions.status(node, revoked, "revoked");
    assertThat(ours.ask(last(store), active)).isEqualTo("oap.allowed");
    String filter = "'org_id': '" + ours.org() + "', 'framework': 'bulk-a'";

    Reply dry = bulk(node.admin(), filter, "suspended", ", 'dry_run': true");
    List<String> expected =
        List.of(
            active + " active suspended -",
            suspended + " suspended suspended unchanged",
            revoked + " revoked revoked impossible_status");
    assertThat(items(dry)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(number(dry, "changed")).isEqualTo(1);
    assertThat(ours.ask(last(store), active)).isEqualTo("oap.allowed");

    Reply done = done(node.admin(), filter, "suspended");
    assertThat(items(done)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(number(done, "skipped")).isEqualTo(2);
    assertThat(ours.ask(last(store), active)).isEqualTo("oap.passport_suspended");
    assertThat(ours.ask(last(store), other)).isEqualTo("oap.allowed");
    assertThat(theirs.ask(last(store), foreign)).isEqualTo("oap.allowed");
    String records =
        node.admin().get("/api/audit?kind=status_change&limit=1&agent_id=" + active).text();
    assertThat(records).contains("a stolen key", "\"previous_status\":\"active\"", "\"bulk\":1");

    assertThat(items(done(last(store).admin(), filter, "suspended")))
        .doesNotContain(active + " active suspended -");
    done(last(store).admin(), filter, "active");
    assertThat(ours.ask(node, active)).isEqualTo("oap.allowed");
    assertThat(ours.ask(node, suspended)).isEqualTo("oap.allowed");
  }

  @ParameterizedTest
  @EnumSource
  void findsByAgentsCapabilityAndTemplate(EachStore store) {
    TestService node = first(store);
    Tenant tenant = Tenant.made(node);
    String template = tenant.agent("bulk-t");
    String instance = instance(tenant, template);
    String below = instance(tenant, instance);
    String alone = tenant.agent("bulk-t");
    assertThat(items(done(node.admin(), "'template_id': '" + template + "'", "suspended")))
        .containsExactlyInAnyOrder(instance + " active suspended -", below + " active suspended -");
    String alias = node.admin().get("/api/passports/" + template).string("passport_id");
    assertThat(alias).isNotEqualTo(template);
    assertThat(items(done(node.admin(), "'template_id': '" + alias + "'", "suspended")))
        .containsExactlyInAnyOrder(
            instance + " suspended suspended unchanged", below + " suspended suspended unchanged");
    assertThat(tenant.ask(last(store), template)).isEqualTo("oap.allowed");
    assertThat(tenant.ask(last(store), below)).isEqualTo("oap.passport_suspended");

    String uuid = node.admin().get("/api/passports/" + alone).string("passport_id");
    String missing = Questions.freshAgent();
    String named = "'agent_ids': ['" + uuid + "', '" + template + "', '" + missing + "']";
    assertThat(items(done(node.admin(), named, "suspended")))
        .containsExactlyInAnyOrder(
            alone + " active suspended -",
            template + " active suspended -",
            missing + " - - not_found");
    assertThat(
            items(
                done(
                    node.admin(),
                    "'capability': 'messaging.send', 'org_id': '" + tenant.org() + "'",
                    "active")))
        .hasSize(4);
    for (String nothing :
        List.of(
            "'agent_ids': []",
            "'template_id': '" + alone + "'",
            "'agent_ids': [], 'org_id': '" + tenant.org() + "'",
            "'capability': '%', 'org_id': '" + tenant.org() + "'")) {
      Reply none = done(node.admin(), nothing, "revoked");
      assertThat(items(none)).as(nothing).isEmpty();
      assertThat(none.text())
          .contains("\"webhook\":{\"sent\":false,\"attempts\":0,\"error\":null}");
    }
    for (String field : List.of("org_id", "template_id")) {
      Reply unknown = bulk(node.admin(), "'" + field + "': '" + missing + "'", "revoked", "");
      assertThat(unknown.status()).as(unknown.toString()).isEqualTo(400);
      assertThat(unknown.string("field")).isEqualTo("filter." + field);
    }
  }

  /** An equal number of other passports, or a changed one, is not what was seen. */
  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void onlyTheExpectedSelectionChanges(EachStore store) {
    TestService node = first(store);
    Tenant tenant = Tenant.made(node);
    String agent = tenant.agent("bulk-e");
    String filter = "'org_id': '" + tenant.org() + "', 'framework': 'bulk-e'";
    String seen = selection(node, filter);
    assertThat(selection(last(store), filter)).isEqualTo(seen);
    node.admin().patch("/api/passports/" + agent, "{\"framework\": [\"other\"]}");
    String other = tenant.agent("bulk-e");
    assertThat(expecting(node, filter, seen).text()).contains("selection_changed");
    seen = selection(node, filter);
    last(store).admin().patch("/api/passports/" + other, "{\"name\": \"Renamed\"}");
    assertThat(expecting(node, filter, seen).status()).isEqualTo(409);
    assertThat(tenant.ask(last(store), other)).isEqualTo("oap.allowed");
    seen = selection(node, filter);
    assertThat(bulk(node.admin(), filter, "revoked", ", 'expect': '" + seen + "'").status())
        .isEqualTo(409);
    assertThat(number(expecting(node, filter, seen), "changed")).isEqualTo(1);
    assertThat(tenant.ask(last(store), other)).isEqualTo("oap.passport_suspended");
  }

  private static String selection(TestService node, String filter) {
    return bulk(node.admin(), filter, "suspended", ", 'dry_run': true").string("selection");
  }

  private static Reply expecting(TestService node, String filter, String digest) {
    return bulk(node.admin(), filter, "suspended", ", 'expect': '" + digest + "'");
  }

  private static String instance(Tenant tenant, String template) {
    Reply made =
        tenant
            .node()
            .withKey(tenant.key())
            .post("/api/passports/" + template + "/instances", "{\"name\": \"Instance\"}");
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return made.string("agent_id");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'filter': {}, 'status': 'suspended', 'reason': 'x'} | filter
          {'status': 'suspended', 'reason': 'x'} | filter
          {'filter': [], 'status': 'suspended', 'reason': 'x'} | filter
          {'filter': {'org': 'org_1'}, 'status': 'suspended', 'reason': 'x'} | filter.org
          {'filter': {'framework': 'x', 'org_id': null}, 'status': 'suspended', 'reason': 'x'} | filter.org_id
          {'filter': {'framework': ''}, 'status': 'suspended', 'reason': 'x'} | filter.framework
          {'filter': {'framework': 7}, 'status': 'suspended', 'reason': 'x'} | filter.framework
          {'filter': {'agent_ids': 'ap_1'}, 'status': 'suspended', 'reason': 'x'} | filter.agent_ids
          {'filter': {'agent_ids': [1]}, 'status': 'suspended', 'reason': 'x'} | filter.agent_ids[0]
          {'filter': {'agent_ids': ['a b']}, 'status': 'suspended', 'reason': 'x'} | filter.agent_ids
          {'filter': {'framework': 'x'}, 'status': 'stopped', 'reason': 'x'} | status
          {'filter': {'framework': 'x'}, 'reason': 'x'} | status
          {'filter': {'framework': 'x'}, 'status': 'suspended'} | reason
          {'filter': {'framework': 'x'}, 'status': 'suspended', 'reason': ' '} | reason
          {'filter': {'framework': 'x'}, 'status': 'suspended', 'reason': 'x', 'dry_run': 'yes'} | dry_run
          {'filter': {'framework': 'x'}, 'status': 'suspended', 'reason': 'x', 'expect': ''} | expect
          {'filter': {'framework': 'x'}, 'status': 'suspended', 'reason': 'x', 'dryrun': true} | dryrun
          """)
  void aWrongRequestIsRefusedByTheNameOfItsMember(String body, String field) {
    Reply refused = alone.admin().post(BULK, Calls.json(body));
    assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
    assertThat(refused.string("field")).isEqualTo(field);
    if (body.contains("'reason': ' '")) {
      assertThat(refused.text()).contains("reason must not be empty.");
    }
  }

  @Tag("attack")
  @Test
  void onlyOperatorsMay() {
    Tenant tenant = Tenant.made(alone);
    String agent = tenant.agent("bulk-r");
    String filter = "'agent_ids': ['" + agent + "']";
    Calls owner = alone.member(tenant.org(), "owner-of-bulk@example.com", "owner");
    List<Calls> refused =
        new ArrayList<>(List.of(alone.withKey(tenant.key()), alone.owner(), owner));
    for (String role : List.of("read_only", "deploy")) {
      String org = role.equals("deploy") ? ", 'org_id': '" + tenant.org() + "'" : "";
      refused.add(token(role, org));
    }
    for (Calls calls : refused) {
      assertThat(bulk(calls, filter, "revoked", "").status()).isEqualTo(403);
      assertThat(bulk(calls, filter, "revoked", ", 'dry_run': true").status()).isEqualTo(403);
    }
    assertThat(bulk(alone.nobody(), filter, "revoked", "").status()).isEqualTo(401);
    assertThat(number(done(token("operator", ""), filter, "revoked"), "changed")).isEqualTo(1);
    assertThat(items(done(alone.admin(), filter, "active")))
        .containsExactly(agent + " revoked revoked impossible_status");
    assertThat(alone.admin().get("/api/audit?kind=status_change&agent_id=" + agent).text())
        .contains("token:tok_");
  }

  private static Calls token(String role, String more) {
    Reply made =
        alone
            .admin()
            .post(
                "/api/admin/tokens",
                Calls.json("{'name': 'b', 'role': '" + role + "'" + more + "}"));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return alone.nobody().with("Authorization", "Bearer " + made.string("token"));
  }

  /** Each receiver gets an event for each passport; one that fails leaves dead letters. */
  @Test
  void tellsReceiversInsideTheRequest() {
    Tenant tenant = Tenant.made(alone);
    List<String> agents = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      agents.add(tenant.agent("bulk-w"));
    }
    try (ScriptedReceiver good = ScriptedReceiver.answering(OK);
        ScriptedReceiver bad = ScriptedReceiver.answering(FAILED)) {
      String path = "/api/webhooks?org_id=" + tenant.org();
      List<String> ids = new ArrayList<>();
      for (ScriptedReceiver receiver : List.of(good, bad)) {
        Reply made =
            alone
                .admin()
                .post(path, Calls.json("{'url': '" + receiver.url() + "', 'retry_attempts': 0}"));
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        ids.add(made.json().object("webhook").orElseThrow().string("webhook_id").orElseThrow());
      }
      Reply done = done(alone.admin(), "'org_id': '" + tenant.org() + "'", "suspended");
      assertThat(number(done, "changed")).isEqualTo(20);
      JsonObject webhook = done.json().object("webhook").orElseThrow();
      assertThat(webhook.string("error")).contains(ids.get(1) + ": The receiver answered 500.");
      assertThat(good.received()).hasSize(20);
      assertThat(good.received())
          .extracting(each -> agentOf(each.body()))
          .hasSameElementsAs(agents);
      assertThat(
              alone
                  .admin()
                  .get("/api/webhooks/" + ids.get(1) + "/deliveries?state=dead&limit=100")
                  .json()
                  .array("deliveries")
                  .orElseThrow()
                  .elements())
          .hasSize(20);
    }
  }

  private static String agentOf(byte[] body) {
    return Calls.json(new String(body, StandardCharsets.UTF_8)).string("agent_id").orElseThrow();
  }

  /** Whatever changes meanwhile, each passport's record and status agree, and all are changed. */
  @ParameterizedTest
  @EnumSource
  void nothingIsLostWhilePassportsChange(EachStore store) {
    TestService node = first(store);
    Tenant tenant = Tenant.made(node);
    List<String> agents = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      agents.add(tenant.agent("bulk-c"));
    }
    String filter = "'org_id': '" + tenant.org() + "'";
    AtOnce.run(
        3,
        i -> {
          if (i == 2) {
            done(node.admin(), filter, "suspended");
          } else {
            for (String agent : agents) {
              Reply updated =
                  last(store)
                      .admin()
                      .patch("/api/passports/" + agent, "{\"name\": \"N" + i + "\"}");
              assertThat(updated.status()).as(updated.toString()).isEqualTo(200);
            }
          }
          return true;
        });
    for (String agent : agents) {
      Reply passport = node.admin().get("/api/passports/" + agent);
      assertThat(passport.string("status")).isEqualTo("suspended");
      assertThat(passport.string("name")).startsWith("N");
    }
  }

  /** The console changes what the person has read, after the count is typed. */
  @Test
  void theConsoleChangesOnlyWhatItHasShown() {
    Tenant tenant = Tenant.made(alone);
    String agent = tenant.agent("bulk-k");
    String form = "/console/bulk-status";
    Reply empty = operator.get(form);
    assertThat(empty.status()).isEqualTo(200);
    var fields =
        new HashMap<>(Map.of("framework", "bulk-k", "status", "suspended", "reason", "a drill"));
    Reply page = preview(operator, form, empty, fields);
    assertThat(page.text()).contains("suspend 1 passport", agent, tenant.org());
    fields.put("expect", shown(page));
    for (String wrong : List.of("", "suspend 2 passports")) {
      fields.put("confirm", wrong);
      assertThat(Pages.send(operator, form, page, fields).status()).isEqualTo(400);
    }
    fields.put("confirm", "suspend 1 passport");
    assertThat(tenant.ask(alone, agent)).isEqualTo("oap.allowed");

    // Another passport in the place of the first: the count that is typed stays right.
    alone.admin().patch("/api/passports/" + agent, "{\"framework\": [\"other\"]}");
    String second = tenant.agent("bulk-k");
    Reply changed = Pages.send(operator, form, page, fields);
    assertThat(changed.status()).isEqualTo(409);
    assertThat(changed.text()).contains("suspend 1 passport", second).doesNotContain(agent);
    fields.remove("expect");
    assertThat(Pages.send(operator, form, page, fields).status()).isEqualTo(400);
    assertThat(tenant.ask(alone, second)).isEqualTo("oap.allowed");

    fields.put("expect", shown(changed));
    Reply done = Pages.send(operator, form, page, fields);
    assertThat(done.status()).as(done.toString()).isEqualTo(200);
    assertThat(done.text()).contains("Done: suspend 1 passport", second);
    assertThat(tenant.ask(alone, second)).isEqualTo("oap.passport_suspended");
    assertThat(tenant.ask(alone, agent)).isEqualTo("oap.allowed");
    assertThat(operator.get(form + "?agent_ids=a%20b%2C%2Fx").status()).isEqualTo(400);
  }

  /** The largest list of ids fits into the form, and each of them is shown. */
  @Test
  void theConsoleTakesAsManyAgentsAsTheApi() {
    List<String> agents = new ArrayList<>();
    for (int i = 0; i < BulkStatus.MOST; i++) {
      agents.add(Questions.freshAgent());
    }
    String form = "/console/bulk-status";
    Map<String, String> fields = Map.of("agent_ids", String.join("\r\n", agents));
    Reply page = preview(operator, form, operator.get(form), fields);
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text()).contains("Nothing would change").contains(agents);
  }

  private static Reply preview(Calls person, String path, Reply page, Map<String, String> fields) {
    var all = new HashMap<>(fields);
    all.put("preview", "1");
    return Pages.send(person, path, page, all);
  }

  /** The digest in the hidden field of the form that confirms. */
  private static String shown(Reply page) {
    Matcher field = EXPECT.matcher(page.text());
    assertThat(field.find()).isTrue();
    return field.group(1);
  }

  @Tag("attack")
  @Test
  void tooManyAreRefusedAndNothingChanges() {
    try (Rooms rooms = new Rooms()) {
      for (int i = 0; i <= BulkStatus.MOST; i++) {
        rooms.passport(rooms.ours, "Bot " + i);
      }
      var bulk =
          new BulkStatus(rooms.passports, rooms.recorder, StatusReceivers.NONE, rooms.directory);
      var ours =
          new BulkFilter(
              Optional.of(rooms.ours),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      Problems.fails(
          Problem.InvalidRequest.class,
          () ->
              bulk.run(
                  Rooms.admin(),
                  new BulkStatus.Ask(
                      ours, PassportStatus.SUSPENDED, "x", false, Optional.empty())));
      assertThat(rooms.passports.active(Optional.of(rooms.ours))).isEqualTo(BulkStatus.MOST + 1);
    }
  }
}

package dev.safeconduct.simulate.suggest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A passport is narrowed to what its agent was allowed to do, and no further. */
final class SuggestTest {
  @TempDir private Path folder;

  private static final String PASSPORT =
      """
      {'name': 'Worker', 'regions': ['US', 'EU'], 'capabilities': [
        {'id': 'web.fetch'}, {'id': 'data.file.read'}, {'id': 'system.command.execute'},
        {'id': 'payments.charge'}, {'id': 'messaging.send'}, {'id': 'data.export'}],
       'limits': {
        'web.fetch': {'allowed_domains': ['*'], 'blocked_domains': ['evil.example'],
                      'max_requests_per_min': 60, 'disable_default_blocks': true},
        'data.file.read': {'allowed_paths': ['/srv'], 'max_file_size_mb': 100},
        'system.command.execute': {'allowed_commands': ['git', 'ls', 'rm'],
                                   'max_execution_time': 300},
        'payments.charge': {'currency_limits': {
             'USD': {'max_per_tx': 5000, 'daily_cap': 50000},
             'EUR': {'max_per_tx': 5000}}},
        'messaging.send': {'msgs_per_min': 5, 'msgs_per_day': 100,
                           'allowed_recipients': ['*']},
        'acme': {'own': 1}}}
      """;

  private static Map<String, String> settings(EachStore store, Path folder) {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    return settings;
  }

  static String issue(TestService service) {
    String agent = Questions.issued(service, Calls.json(PASSPORT));
    Questions.assure(service, agent, "L3");
    return agent;
  }

  static void ask(TestService service, String agent, String pack, String context, boolean allow) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/verify/policy/" + pack,
                Calls.json("{'context': {'agent_id': '" + agent + "', " + context + "}}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.text()).contains("\"allow\":" + allow);
  }

  private static void work(TestService service, String agent) {
    ask(service, agent, "web.fetch.v1", "'url': 'https://api.example.com/a'", true);
    ask(service, agent, "web.fetch.v1", "'url': 'https://api.example.com/b'", true);
    ask(service, agent, "web.fetch.v1", "'url': 'https://evil.example/'", false);
    for (String file : List.of("a", "b", "c", "d")) {
      ask(service, agent, "data.file.read.v1", "'file_path': '/srv/src/" + file + "'", true);
    }
    ask(service, agent, "data.file.read.v1", "'file_path': '/srv/notes.txt'", true);
    ask(service, agent, "data.file.read.v1", "'file_path': '/etc/hosts'", false);
    ask(service, agent, "system.command.execute.v1", "'command': 'git status && ls -l'", true);
    ask(service, agent, "system.command.execute.v1", "'command': 'git diff', 'timeout': 20", true);
    for (int amount : new int[] {100, 250, 90}) {
      ask(
          service,
          agent,
          "finance.payment.charge.v1",
          "'amount': "
              + amount
              + ", 'currency': 'USD', 'merchant_id': 'm1', 'region': 'US',"
              + " 'items': [{'sku': 'a', 'qty': 1}], 'idempotency_key': 'key-of-"
              + amount
              + "'",
          true);
    }
  }

  static JsonObject suggest(TestService service, String agent) {
    Reply reply = service.owner().post("/api/passports/" + agent + "/suggest", "{}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json();
  }

  static JsonObject limits(JsonObject suggestion, String container) {
    return suggestion.object("limits").orElseThrow().object(container).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void narrowsToWhatWasAllowed(EachStore store) throws Exception {
    Map<String, String> settings = settings(store, folder);
    try (TestService service = TestService.start(folder, settings)) {
      String agent = issue(service);
      work(service, agent);
      JsonObject suggestion = suggest(service, agent);

      assertThat(suggestion.names())
          .containsExactlyInAnyOrder(
              "agent_id",
              "evidence",
              "capabilities",
              "limits",
              "regions",
              "explanations",
              "replayed");
      assertThat(suggestion.get("regions")).isEqualTo(JsonArray.ofStrings(List.of("US")));
      assertThat(suggestion.object("evidence").orElseThrow().get("decisions"))
          .isEqualTo(new JsonNumber(12));
      assertThat(Json.text(suggestion.object("replayed").orElseThrow()))
          .isEqualTo("{\"decisions\":12,\"newly_denied\":[]}");
      assertThat(Json.text(suggestion.array("capabilities").orElseThrow()))
          .doesNotContain("messaging.send", "data.export")
          .contains("web.fetch", "payments.charge");
      assertThat(limits(suggestion, "web.fetch"))
          .isEqualTo(
              Calls.json(
                  """
                  {'allowed_domains': ['api.example.com'], 'blocked_domains': ['evil.example'],
                   'max_requests_per_min': 2, 'disable_default_blocks': false,
                   'allowed_methods': ['GET'], 'max_requests_per_hour': 2}
                  """));
      assertThat(limits(suggestion, "data.file.read").get("allowed_paths"))
          .isEqualTo(JsonArray.ofStrings(List.of("/srv/notes.txt", "/srv/src")));
      assertThat(limits(suggestion, "data.file.read").get("max_file_size_mb"))
          .isEqualTo(new JsonNumber(100));
      assertThat(limits(suggestion, "system.command.execute").get("allowed_commands"))
          .isEqualTo(JsonArray.ofStrings(List.of("git diff", "git status", "ls")));
      assertThat(limits(suggestion, "system.command.execute").get("max_execution_time"))
          .isEqualTo(new JsonNumber(20));
      assertThat(limits(suggestion, "payments.charge").get("currency_limits"))
          .isEqualTo(Calls.json("{'USD': {'max_per_tx': 250, 'daily_cap': 440}}"));
      assertThat(limits(suggestion, "acme")).isEqualTo(Calls.json("{'own': 1}"));
      assertThat(Json.text(suggestion.array("explanations").orElseThrow()))
          .contains("limits.acme", "/srv/src stands for 4 paths, seen 4 times.");

      CommandRun run = CommandRun.suggest(settings, "--agent", agent, "--from", "2020-01-01");
      assertThat(run.json().without("evidence")).isEqualTo(suggestion.without("evidence"));
      CommandRun all = CommandRun.suggest(settings, "--org", service.org());
      assertThat(all.out()).contains(agent);

      Reply applied =
          service
              .owner()
              .patch(
                  "/api/passports/" + agent,
                  Json.text(suggestion.only(List.of("capabilities", "limits", "regions"))));
      assertThat(applied.status()).as(applied.toString()).isEqualTo(200);
      JsonObject again = suggest(service, agent);
      assertThat(again.only(List.of("capabilities", "limits", "replayed")))
          .isEqualTo(suggestion.only(List.of("capabilities", "limits", "replayed")));
      ask(service, agent, "data.file.read.v1", "'file_path': '/srv/src/e'", true);
      ask(service, agent, "data.file.read.v1", "'file_path': '/srv/other'", false);
    }
  }

  @Test
  void keepsRegionsAndMcpNamesThatWereUsed() {
    try (TestService service = TestService.start()) {
      String agent =
          Questions.issued(
              service,
              Calls.json(
                  """
                  {'name': 'Far', 'capabilities': [{'id': 'web.fetch'}],
                   'regions': ['US', 'DE', 'FR'],
                   'mcp': {'servers': ['https://a.example', 'https://b.example'],
                     'tools': ['*']},
                   'limits': {'web.fetch': {'allowed_domains': ['*']}}}
                  """));
      ask(service, agent, "web.fetch.v1", "'url': 'https://a.example/', 'region': 'DE-BY'", true);
      ask(
          service,
          agent,
          "web.fetch.v1",
          "'url': 'https://a.example/', 'mcp_server': 'https://b.example', 'mcp_tool': 'read'",
          true);
      JsonObject suggestion = suggest(service, agent);
      assertThat(suggestion.get("regions")).isEqualTo(JsonArray.ofStrings(List.of("DE")));
      assertThat(suggestion.get("mcp"))
          .isEqualTo(Calls.json("{'servers': ['https://b.example'], 'tools': ['read']}"));
      assertThat(Json.text(suggestion.object("replayed").orElseThrow()))
          .isEqualTo("{\"decisions\":2,\"newly_denied\":[]}");
    }
  }

  /** The console shows the suggestion and applies it, once, with the digest of its decisions. */
  @Test
  void isAppliedInTheConsole() {
    try (TestService service = TestService.start()) {
      String agent = issue(service);
      work(service, agent);
      JsonObject suggestion = suggest(service, agent);
      Calls owner = service.member(service.org(), "narrow@example.com", "owner");
      String path = "/console/passports/" + agent + "/narrow";
      Reply page = owner.get(path + "?suggest=now");
      assertThat(page.text().replace("<wbr>", ""))
          .contains("limits.web.fetch.allowed_domains", "api.example.com", "Effect on the last");
      Map<String, String> fields = new HashMap<>();
      for (String name : List.of("members", "digest", "version")) {
        Matcher value =
            Pattern.compile("name=\"" + name + "\" value=\"([^\"]*)\"").matcher(page.text());
        assertThat(value.find()).as(name).isTrue();
        fields.put(name, value.group(1).replace("&#34;", "\"").replace("&amp;", "&"));
      }
      Reply done = Pages.send(owner, path, page, fields);
      assertThat(done.status()).as(done.toString()).isEqualTo(303);
      JsonObject passport = service.owner().get("/api/passports/" + agent).json();
      assertThat(passport.get("limits")).isEqualTo(suggestion.get("limits"));
      assertThat(passport.get("capabilities")).isEqualTo(suggestion.get("capabilities"));
      String digest = suggestion.object("evidence").orElseThrow().string("digest").orElseThrow();
      assertThat(service.owner().get("/api/audit?kind=passport_updated&agent_id=" + agent).text())
          .contains("\"evidence_digest\":\"" + digest + "\"");
      assertThat(Pages.send(owner, path, page, fields).status()).isEqualTo(409);
      assertThat(owner.get(path).text()).contains("hx-get=\"" + path + "?suggest=now\"");
      assertThat(owner.get(path + "?suggest=now").text()).contains("Nothing to narrow");
      assertThat(service.owner().patch("/api/passports/" + agent + "?evidence=none", "{}").status())
          .isEqualTo(400);
    }
  }

  /** One suggestion at a time, of at most 50,000 decisions, denied ones included. */
  @Test
  void isMadeOneAtATimeFromAtMostFiftyThousandDecisions() throws Exception {
    try (TestService service = TestService.start(folder, Map.of("DATA_DIR", folder.toString()))) {
      String agent = issue(service);
      ask(service, agent, "web.fetch.v1", "'url': 'https://evil.example/'", false);
      String path = "/api/passports/" + agent + "/suggest";
      repeatLastRecord(49_999);
      List<Integer> answers = AtOnce.run(6, _ -> service.owner().post(path, "{}").status());
      assertThat(answers).contains(200, 503).containsOnly(200, 503);
      ask(service, agent, "web.fetch.v1", "'url': 'https://evil.example/'", false);
      Reply tooMany = service.owner().post(path, "{}");
      assertThat(tooMany.status()).as(tooMany.toString()).isEqualTo(400);
      assertThat(tooMany.text()).contains("more than 50000 decisions", "\"from\"");
    }
  }

  /** Writes the newest record again and again, far behind it in the log. */
  private void repeatLastRecord(int times) throws SQLException {
    try (Connection connection =
            EachStore.SQLITE.connection(Map.of("DATA_DIR", folder.toString()));
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
          INSERT INTO audit
          SELECT 10000000 + i, randomblob(16), kind, org, at_ms, agent, policy, allow, code, body, signature,
                 details, salt, commitment
            FROM audit, n
           WHERE log_index = (SELECT max(log_index) FROM audit)
          """
              .formatted(times));
    }
  }

  /** Denied decisions count if they are asked for, as far as the passport allows them now. */
  @Test
  void includesDeniedDecisionsOnDemand() {
    try (TestService service = TestService.start()) {
      String agent =
          Questions.issued(
              service,
              Calls.json(
                  """
                  {'name': 'Careful', 'capabilities': [{'id': 'messaging.send'},
                     {'id': 'web.fetch'}],
                   'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                       'channels_allowlist': ['team', 'other', 'third'],
                       'approval_required': true},
                     'web.fetch': {'allowed_domains': ['a.example']}}}
                  """));
      Reply waits = message(service, agent, "team");
      Reply refused = message(service, agent, "other");
      ask(service, agent, "web.fetch.v1", "'url': 'https://b.example/'", false);
      String approval = waits.json().object("approval").orElseThrow().string("approval_id").get();
      Calls owner = service.member(service.org(), "approves@example.com", "owner");
      Reply answered = owner.post("/api/approvals/" + approval + "/approve", "{}");
      assertThat(answered.status()).as(answered.toString()).isEqualTo(200);
      assertThat(refused.json().isTrue("allow")).isFalse();

      assertThat(decisions(service, agent, "none")).isZero();
      assertThat(decisions(service, agent, "approved")).isEqualTo(1);
      assertThat(decisions(service, agent, "all")).isEqualTo(2);
      JsonObject approved = including(service, agent, "approved");
      assertThat(limits(approved, "messaging.send").get("channels_allowlist"))
          .isEqualTo(JsonArray.ofStrings(List.of("team")));
      JsonObject all = including(service, agent, "all");
      assertThat(limits(all, "messaging.send").get("channels_allowlist"))
          .isEqualTo(JsonArray.ofStrings(List.of("other", "team")));
      assertThat(Json.text(all)).doesNotContain("b.example");
    }
  }

  private static Reply message(TestService service, String agent, String channel) {
    return service
        .owner()
        .post(
            "/api/verify/policy/messaging.message.send.v1",
            Calls.json(
                "{'context': {'agent_id': '%s', 'channel_id': '%s', 'message': 'Done.',"
                        .formatted(agent, channel)
                    + " 'message_type': 'text'}, 'approval': {}}"));
  }

  private static JsonObject including(TestService service, String agent, String denied) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/passports/" + agent + "/suggest",
                Calls.json("{'include_denied': '" + denied + "'}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json();
  }

  private static long decisions(TestService service, String agent, String denied) {
    return Questions.number(
        including(service, agent, denied).object("evidence").orElseThrow(), "decisions");
  }

  @Test
  void keepsTheLimitsWhoseEvidenceIsRedactedOrAbsent() {
    try (TestService service = TestService.start()) {
      String agent = issue(service);
      JsonObject nothing = suggest(service, agent);
      JsonObject passport = service.owner().get("/api/passports/" + agent).json();
      assertThat(nothing.get("limits")).isEqualTo(passport.get("limits"));
      assertThat(nothing.get("capabilities")).isEqualTo(passport.get("capabilities"));

      ask(
          service,
          agent,
          "system.command.execute.v1",
          "'command': 'git clone https://me:hunter2-hunter2@example.com/'",
          true);
      ask(service, agent, "web.fetch.v1", "'url': 'https://api.example.com/'", true);
      JsonObject suggestion = suggest(service, agent);
      assertThat(limits(suggestion, "system.command.execute"))
          .isEqualTo(limits(passport, "system.command.execute"));
      assertThat(limits(suggestion, "web.fetch").get("allowed_domains"))
          .isEqualTo(JsonArray.ofStrings(List.of("api.example.com")));
      assertThat(Json.text(suggestion.array("explanations").orElseThrow()))
          .contains("redaction touched context.command")
          .doesNotContain("hunter2");
      assertThat(Json.text(suggestion.array("capabilities").orElseThrow()))
          .contains("system.command.execute");
    }
  }

  @Test
  void aPolicyInTheRequestMayNeedAnyCapabilityWhateverItsId() {
    try (TestService service = TestService.start()) {
      String agent = issue(service);
      ask(service, agent, "web.fetch.v1", "'url': 'https://api.example.com/'", true);
      Reply reply =
          service
              .owner()
              .post(
                  "/api/verify/policy/IN_BODY",
                  Calls.json(
                      "{'context': {'agent_id': '"
                          + agent
                          + "'}, 'policy': {'id': 'web.fetch.v1', 'requires_capabilities':"
                          + " ['data.export'], 'evaluation_rules': []}}"));
      assertThat(reply.text()).contains("\"allow\":true");

      JsonObject passport = service.owner().get("/api/passports/" + agent).json();
      assertThat(suggest(service, agent).get("capabilities"))
          .isEqualTo(passport.get("capabilities"));
    }
  }

  @Test
  void aTemplateIsNarrowedByItsInstancesAndOthersAreRefused() {
    try (TestService service = TestService.start()) {
      String template = issue(service);
      Reply made =
          service
              .owner()
              .post(
                  "/api/passports/" + template + "/instances",
                  Calls.json("{'tenant_ref': 'one', 'platform_id': 'p'}"));
      assertThat(made.status()).as(made.toString()).isEqualTo(201);
      ask(
          service,
          made.string("agent_id"),
          "web.fetch.v1",
          "'url': 'https://api.example.com/'",
          true);
      assertThat(limits(suggest(service, template), "web.fetch").get("allowed_domains"))
          .isEqualTo(JsonArray.of(new JsonString("api.example.com")));

      String path = "/api/passports/" + template + "/suggest";
      Questions.Tenant other = Questions.Tenant.made(service, "Other", "'read', 'read_audit'");
      assertThat(service.withKey(other.key()).post(path, "{}").status()).isEqualTo(404);
      for (String scope : List.of("read", "read_audit")) {
        String key =
            Questions.newKey(service, service.org(), "{'name': 'k', 'scopes': ['" + scope + "']}");
        assertThat(service.withKey(key).post(path, "{}").status()).isEqualTo(403);
      }
      for (String body :
          List.of(
              "{'from': 'yesterday'}",
              "{'from': '2026-02-01T00:00:00Z', 'to': '2026-01-01T00:00:00Z'}",
              "{'include_denied': 'some'}",
              "{'include_denied': true}")) {
        assertThat(service.owner().post(path, Calls.json(body)).status()).as(body).isEqualTo(400);
      }
    }
  }
}

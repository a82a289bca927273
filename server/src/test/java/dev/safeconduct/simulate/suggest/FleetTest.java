package dev.safeconduct.simulate.suggest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.audit.AgentUse.Use;
import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Agents are listed by the privilege that they do not use. */
final class FleetTest {
  @TempDir private Path folder;

  private static final String FETCHES =
      """
      {'name': '%s', 'capabilities': [{'id': 'web.fetch'}],
       'limits': {'web.fetch': {'allowed_domains': ['api.example.com'], 'max_requests_per_min': 3}}}
      """;

  private static final String WIDE =
      """
      {'name': 'Wide', 'capabilities': [{'id': 'web.fetch'}, {'id': 'payments.payout'}],
       'limits': {
        'web.fetch': {'allowed_domains': ['*'], 'max_requests_per_min': 60},
        'payments.payout': {'currency_limits': {'USD': {'max_per_tx': 100}},
          'allowed_destination_types': ['bank_account'], 'max_payouts_per_day': 5}}}
      """;

  private static String issue(TestService service, String path, String passport) {
    Reply made = service.owner().post(path, Calls.json(passport));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return made.string("agent_id");
  }

  private static void fetch(TestService service, String agent) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/verify/policy/web.fetch.v1",
                Calls.json(
                    "{'context': {'agent_id': '%s', 'url': 'https://api.example.com/'}}"
                        .formatted(agent)));
    assertThat(reply.text()).contains("\"allow\":true");
  }

  /** The list after everything is counted, which opening the overview does, or another process. */
  private static List<JsonObject> fleet(TestService service, Calls owner) {
    List<JsonObject> agents = List.of();
    for (int i = 0; i < 100 && agents.isEmpty(); i++) {
      assertThat(owner.get("/console").status()).isEqualTo(200);
      service.owner().get("/api/fleet"); // computes scores, and marks the templates of instances
      Reply reply = service.owner().get("/api/fleet");
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      agents = reply.json().objects("agents");
    }
    return agents;
  }

  private static List<String> ids(List<JsonObject> agents) {
    return agents.stream().map(agent -> agent.string("agent_id").orElseThrow()).toList();
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void listsTheWidestFirstWithTheReasons(EachStore store) throws Exception {
    Map<String, String> settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    try (TestService service = TestService.start(folder, settings)) {
      Calls owner = service.member(service.org(), "fleet@example.com", "owner");
      String busy = issue(service, "/api/passports", FETCHES.formatted("Busy"));
      String template = issue(service, "/api/passports", FETCHES.formatted("Template"));
      String idle = issue(service, "/api/passports", FETCHES.formatted("Idle"));
      String wide = issue(service, "/api/passports", WIDE);
      String instance =
          issue(
              service,
              "/api/passports/" + template + "/instances",
              "{'tenant_ref': 'one', 'platform_id': 'p'}");
      List.of(busy, wide, instance).forEach(agent -> fetch(service, agent));

      List<JsonObject> agents = fleet(service, owner);
      assertThat(ids(agents).getFirst()).isEqualTo(wide);
      assertThat(ids(agents)).contains(busy, template, idle, instance).doesNotHaveDuplicates();
      assertThat(ids(agents).indexOf(idle)).isLessThan(ids(agents).indexOf(busy));
      JsonObject first = agents.getFirst();
      assertThat(Questions.number(first, "granted")).isEqualTo(2);
      assertThat(Questions.number(first, "used")).isEqualTo(1);
      assertThat(Questions.number(first, "score")).isEqualTo(15 + 6 + 3);
      assertThat(first.string("last_use")).isPresent();
      assertThat(Json.text(first.array("parts").orElseThrow()))
          .contains(
              "capabilities.payments.payout",
              "no use is known",
              "limits.web.fetch.allowed_domains",
              "The cap is 60 requests per minute, but the maximum of a whole day was 1.");
      assertThat(agents)
          .filteredOn(agent -> Questions.number(agent, "score") == 0)
          .as("the template by the use of its instance")
          .extracting(agent -> agent.string("agent_id").orElseThrow())
          .contains(busy, template, instance);

      var paged = new ArrayList<String>();
      for (String path = "/api/fleet?limit=2"; !path.isEmpty(); ) {
        JsonObject page = service.owner().get(path).json();
        paged.addAll(ids(page.objects("agents")));
        path = page.string("next_cursor").map(c -> "/api/fleet?limit=2&cursor=" + c).orElse("");
      }
      assertThat(paged).isEqualTo(ids(agents));
      assertThat(CommandRun.suggest(settings, "--fleet", service.org()).out())
          .contains(wide, "\"score\":24");
      Reply page = owner.get("/console/fleet");
      assertThat(page.text())
          .contains("Wide", "no use is known", "/console/passports/" + wide + "/narrow");

      change(store, settings, "UPDATE agent_use SET marked = 1 WHERE policy <> ''");
      fleet(service, owner);
      assertThat(number(store, settings, "SELECT max(most_in_day) FROM agent_use"))
          .as("the use of an instance is counted again for its template, but only once")
          .isEqualTo(1);

      // The last use falls out of the period, and the passport that is no more leaves the list.
      change(
          store,
          settings,
          "UPDATE agent_use SET last_at = last_at - 3456000000 WHERE policy <> ''");
      change(store, settings, "UPDATE unused_privilege SET review_at = 1");
      service.owner().put("/api/passports/" + wide + "/status", "{\"status\": \"revoked\"}");
      List<JsonObject> later = fleet(service, owner);
      assertThat(ids(later)).contains(busy).doesNotContain(wide);
      assertThat(later).noneMatch(agent -> Questions.number(agent, "score") == 0);
      assertThat(later.toString()).contains("the last use was on");
    }
  }

  private static void change(EachStore store, Map<String, String> settings, String sql)
      throws SQLException {
    try (Connection connection = store.connection(settings);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private static long number(EachStore store, Map<String, String> settings, String sql)
      throws SQLException {
    try (Connection connection = store.connection(settings);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      return row.getLong(1);
    }
  }

  @Test
  void showsOnlyTheOwnAgentsAndOnlyWithBothScopes() {
    try (TestService service = TestService.start()) {
      String agent = issue(service, "/api/passports", FETCHES.formatted("Own"));
      Calls owner = service.member(service.org(), "fleet@example.com", "owner");
      assertThat(ids(fleet(service, owner))).contains(agent);
      Questions.Tenant other = Questions.Tenant.made(service, "Other", "'read', 'read_audit'");
      Reply none = service.withKey(other.key()).get("/api/fleet");
      assertThat(none.json().objects("agents")).isEmpty();
      for (String key :
          List.of(
              "{'name': 'k', 'scopes': ['read']}",
              "{'name': 'k', 'scopes': ['read_audit']}",
              "{'name': 'k', 'scopes': ['read', 'read_audit'], 'agent_id': '" + agent + "'}")) {
        String made = Questions.newKey(service, service.org(), key);
        assertThat(service.withKey(made).get("/api/fleet").status()).as(key).isEqualTo(403);
      }
      assertThat(service.owner().get("/api/fleet?cursor=x").status()).isEqualTo(400);
      assertThat(service.owner().get("/api/fleet?limit=0").status()).isEqualTo(400);
    }
  }

  /** A policy of the organization may need capabilities that no built-in one asks for. */
  @Test
  void countsNothingThatAnotherPolicyMayNeed() {
    var measure = PrivilegeScore.Measure.of(BuiltInPacks.catalog());
    JsonObject passport = Calls.json("{'capabilities': ['code.execute', 'web.search']}");
    Instant now = Instant.parse("2026-11-23T12:00:00Z");
    Map<String, Use> own = Map.of("acme.own.v1", new Use(now, 4));
    assertThat(measure.of(passport, Map.of(), now).points()).isEqualTo(15 + 3);
    assertThat(measure.of(passport, own, now).parts())
        .extracting(PrivilegeScore.Part::member)
        .containsExactly("capabilities.web.search");
    assertThat(measure.of(passport, own, now.plusSeconds(31 * 86_400)).points()).isEqualTo(15 + 3);
  }
}

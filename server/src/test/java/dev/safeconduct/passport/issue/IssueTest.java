package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody without an account gets, and what they do not. */
final class IssueTest {
  @AutoClose private static final TestService service = TestService.start(Issuing.UNLIMITED);

  private static JsonObject request(String more) {
    return Calls.json("{'email': 'human@example.com', " + more + "}");
  }

  private static Reply issue(String more) {
    return service.nobody().post("/api/issue", request(more));
  }

  private static JsonObject passport(Reply issued) {
    assertThat(issued.status()).as(issued.toString()).isEqualTo(201);
    return service.admin().get("/api/passports/" + issued.string("agent_id")).json();
  }

  @Test
  void givesAWorkingPassportAndASetupKeyAtOnce() {
    Reply issued =
        issue("'name': 'ARIA', 'framework': ['claude-code'], 'regions': ['us', 'global']");
    JsonObject passport = passport(issued);
    assertThat(issued.string("api_key")).startsWith("sck_");
    assertThat(issued.json().array("api_key_scopes").orElseThrow().texts()).containsExactly("read");
    assertThat(passport.string("assurance_level")).contains("L0");
    assertThat(passport.string("owner_type")).contains("user");
    assertThat(passport.string("slug")).contains("aria");
    assertThat(passport.array("regions").orElseThrow().texts()).containsExactly("US", "global");
    assertThat(passport.isTrue("claimed")).isFalse();
    assertThat(service.nobody().get(path(issued.string("passport_url"))).status()).isEqualTo(200);
    Calls agent = service.withKey(issued.string("api_key"));
    Reply decision =
        agent.post(
            "/api/verify/policy/system.command.execute.v1",
            "{\"context\": {\"command\": \"git status\"}}");
    assertThat(Questions.code(decision)).isEqualTo("oap.allowed");
    assertThat(
            Questions.code(
                agent.post(
                    "/api/verify/policy/system.command.execute.v1",
                    "{\"context\": {\"command\": \"rm -rf /\"}}")))
        .isEqualTo("oap.blocked_pattern");
    // Two strangers share nothing.
    JsonObject second = passport(issue("'name': 'ARIA two', 'framework': ['mcp']"));
    assertThat(second.string("owner_id")).isNotEqualTo(passport.string("owner_id"));
    assertThat(agent.get("/api/passports/" + second.string("agent_id").orElseThrow()).status())
        .isEqualTo(404);
  }

  private static String path(String url) {
    return java.net.URI.create(url).getPath();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'name': 'x', 'description': 'too short'                                   | description",
        "'description': 'long enough for that'                                     | name",
        "'name': 'x', 'framework': ['mcp'], 'email': 'nobody'                      | email",
        "'name': 'x', 'framework': ['mcp'], 'capabilities': ['payments.refund']    | capabilities[0]",
        "'name': 'x', 'framework': ['mcp'], 'capabilities': [{'id': 'acme.own'}]   | capabilities[0]",
        "'name': 'x', 'framework': ['mcp'], 'limits': {'web.fetch': {}}            | limits.web.fetch",
        "'name': 'x', 'framework': ['mcp'], 'limits': {'allowed_domains': ['*']}   | limits.allowed_domains",
        "'name': 'x', 'framework': ['mcp'], 'limits': {'mcp.tool.execute': {'max_calls_per_minute': 61}} | limits.mcp.tool.execute.max_calls_per_minute",
        "'name': 'x', 'framework': ['mcp'], 'limits': {'mcp.tool.execute': {'no_such': 1}} | limits.mcp.tool.execute.no_such",
        "'name': 'x', 'framework': ['cursor'], 'limits': {'system.command.execute': {'disable_default_blocks': true}} | limits.system.command.execute.disable_default_blocks",
        "'name': 'x', 'framework': ['cursor'], 'limits': {'web.fetch': {'allow_private_ips': true}} | limits.web.fetch.allow_private_ips",
        "'name': 'x', 'framework': ['cursor'], 'limits': {'web.fetch': {'block_private_ips': false}} | limits.web.fetch.block_private_ips",
        "'name': 'x', 'framework': ['n8n'], 'limits': {'data.export': {'allow_pii': true}} | limits.data.export.allow_pii",
        "'name': 'x', 'framework': ['n8n'], 'limits': {'data.export': {'max_rows': 10001}} | limits.data.export.max_rows",
        "'name': 'x', 'framework': ['crewai'], 'limits': {'deliverable.task.complete': {'require_different_reviewer': false}} | limits.deliverable.task.complete.require_different_reviewer",
        "'name': 'x', 'framework': ['cursor'], 'limits': {'system.command.execute': {'allowed_paths': ['~/.ssh/*']}} | limits.system.command.execute.allowed_paths",
        "'name': 'x', 'framework': ['cursor'], 'limits': {'web.fetch': {'allowed_headers': ['Cookie']}} | limits.web.fetch.allowed_headers",
        "'name': 'x', 'framework': ['mcp'], 'capabilities': ['messaging.send'], 'limits': {'messaging.send': {'mention_policy': 'all'}} | limits.messaging.send.mention_policy",
        "'name': 'x', 'framework': ['mcp'], 'capabilities': ['agent.session.create'], 'limits': {'agent.session.create': {'default_session_duration': 0}} | limits.agent.session.create.default_session_duration",
        "'name': 'x', 'framework': ['mcp'], 'capabilities': ['agent.tool.register'], 'limits': {'agent.tool.register': {'allowed_capabilities': ['*']}} | limits.agent.tool.register.allowed_capabilities",
        "'name': 'x', 'framework': ['mcp'], 'capabilities': [{'id': 'messaging.send', 'params': {'mention_policy': 'all'}}] | capabilities[0].params.mention_policy",
        "'name': 'x', 'framework': ['mcp'], 'slug': '!!!'                          | slug",
        "'name': 'x', 'framework': ['mcp'], 'links': {'homepage': 'javascript:alert(1)'} | links.homepage",
      })
  void refusesWhatIsNotGivenOut(String more, String field) {
    Reply reply = service.nobody().post("/api/issue", named(more));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo(field);
  }

  private static JsonObject named(String more) {
    return more.contains("'email'") ? Calls.json("{" + more + "}") : request(more);
  }

  @Test
  void limitsMayBeNarrower() {
    JsonObject passport =
        passport(
            issue(
                "'name': 'Narrow', 'framework': ['cursor'], 'limits': {"
                    + "'system.command.execute': {'allowed_commands': ['git'], 'max_execution_time': 60,"
                    + " 'blocked_patterns': ['push']},"
                    + "'web.fetch': {'allow_private_ips': false, 'allowed_methods': ['GET']}}"));
    JsonObject limits = passport.object("limits").orElseThrow();
    JsonObject command = limits.object("system.command.execute").orElseThrow();
    assertThat(command.array("allowed_commands").orElseThrow().texts()).containsExactly("git");
    assertThat(limits.object("data.file.read")).as("the preset's stay").isPresent();
    assertThat(command.array("blocked_patterns").orElseThrow().texts())
        .as("the preset's stay")
        .contains("push", "safeconduct hook");
    assertThat(limits.object("web.fetch").orElseThrow().array("allowed_methods"))
        .contains(JsonArray.ofStrings(List.of("GET")));
  }

  @Test
  void paramsMayBeNarrower() {
    JsonObject passport =
        passport(
            issue(
                "'name': 'Quiet', 'framework': ['mcp'], 'capabilities': [{'id': 'messaging.send',"
                    + " 'params': {'mention_policy': 'none', 'max_recipients': 2}}]"));
    assertThat(String.valueOf(passport.get("capabilities"))).contains("none", "max_recipients");
  }

  @Test
  void aDeliverableBecomesACapabilityWithLimits() {
    JsonObject passport =
        passport(
            issue(
                "'name': 'Deliverer', 'framework': ['mcp'], 'deliverable': {'require_summary': true,"
                    + " 'blocked_patterns': ['dropped'],"
                    + " 'acceptance_criteria': ['All tests pass', 'All tests pass']}"));
    JsonObject block =
        passport.object("limits").orElseThrow().object("deliverable.task.complete").orElseThrow();
    assertThat(block.isTrue("require_summary")).isTrue();
    assertThat(block.array("blocked_patterns")).contains(JsonArray.EMPTY);
    assertThat(block.array("acceptance_criteria").orElseThrow())
        .containsExactly(
            Calls.json("{'id': 'all-tests-pass', 'description': 'All tests pass'}"),
            Calls.json("{'id': 'all-tests-pass-2', 'description': 'All tests pass'}"));
    assertThat(String.valueOf(passport.get("capabilities"))).contains("deliverable.task.complete");
  }

  @Test
  void aSlugIsTakenByItsLookAlikesToo() {
    assertThat(issue("'name': 'x', 'framework': ['mcp'], 'slug': 'Corner Bot'").string("slug"))
        .isEqualTo("corner-bot");
    for (String alike :
        List.of(
            "corner-bot", "cornerbot", "c0rner-b0t", "comer-bot", "corner--bot", "Çorner Bot")) {
      assertThat(issue("'name': 'x', 'framework': ['mcp'], 'slug': '" + alike + "'").status())
          .as(alike)
          .isEqualTo(409);
    }
    for (String ours : List.of("admin", "safe-conduct", "adm1n", "claude-code", "opencIaw")) {
      assertThat(issue("'name': 'x', 'framework': ['mcp'], 'slug': '" + ours + "'").status())
          .as(ours)
          .isEqualTo(409);
    }
    // A name alone asks for no slug: another one is found.
    assertThat(issue("'name': 'Corner Bot', 'framework': ['mcp']").string("slug"))
        .startsWith("corner-bot-");
    assertThat(issue("'name': 'Admin', 'framework': ['mcp']").string("slug")).startsWith("admin-");
    // Nor does it take the slugs of organizations, which strangers cannot block either.
    String body = "{\"name\": \"Till\", \"slug\": \"till\"}";
    assertThat(service.owner().post("/api/passports", body).status()).isEqualTo(201);
    assertThat(issue("'name': 'x', 'framework': ['mcp'], 'slug': 'till'").status()).isEqualTo(409);
    issue("'name': 'x', 'framework': ['mcp'], 'slug': 'squatted'");
    assertThat(service.owner().post("/api/passports", body.replace("till", "squatted")).status())
        .isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name",
        "description",
        "role",
        "email",
        "slug",
      })
  void aHeaderCannotBeSmuggledIn(String member) {
    for (String text :
        List.of(
            "x\r\nBcc: victim@example.com",
            "x\nSet-Cookie: a=b",
            "x\u0000y",
            "\u202Egnp.exe",
            "x".repeat(10_000))) {
      JsonObject body =
          request("'name': 'Agent', 'description': 'long enough', 'framework': ['mcp']")
              .with(member, new JsonString(member.equals("email") ? text + "@example.com" : text));
      Reply reply = service.nobody().post("/api/issue", body);
      boolean prose = member.equals("description") && text.contains("\n");
      assertThat(reply.status()).as(reply.toString()).isEqualTo(prose ? 201 : 400);
      if (!prose) {
        assertThat(reply.string("field")).isEqualTo(member);
      }
    }
  }

  @Test
  void oneAddressGetsTenAnHourAndOneMailboxThreeADay() {
    try (TestService limited = TestService.start()) {
      int issued = 0;
      for (int i = 0; i < 100; i++) {
        Reply reply =
            limited
                .nobody()
                .post(
                    "/api/issue",
                    Calls.json(
                        "{'name': 'Agent', 'framework': ['mcp'], 'email': 'h"
                            + i
                            + "@x.example'}"));
        issued += reply.status() == 201 ? 1 : 0;
        if (issued == 10 && reply.status() != 201) {
          assertThat(reply.status()).isEqualTo(429);
          assertThat(Integer.parseInt(reply.header("Retry-After").orElseThrow())).isPositive();
        }
      }
      assertThat(issued).isEqualTo(10);
    }
    try (TestService limited = TestService.start(Map.of("RATE_ISSUE_PER_ADDRESS_PER_HOUR", "0"))) {
      String body = "{'name': 'Agent', 'framework': ['mcp'], 'email': '%s@x.example'}";
      var statuses = new ArrayList<Integer>();
      for (String mailbox : List.of("h", "H", "h+1", "h+2", "h")) {
        statuses.add(
            limited.nobody().post("/api/issue", Calls.json(body.formatted(mailbox))).status());
      }
      assertThat(statuses).containsExactly(201, 201, 201, 429, 429);
      assertThat(limited.nobody().post("/api/issue", Calls.json(body.formatted("other"))).status())
          .isEqualTo(201);
    }
  }

  @Test
  void theOperatorDecidesWhatIsGivenOut() {
    try (TestService strict =
        TestService.start(
            Map.of(
                "ISSUE_REQUIRE_EMAIL", "false",
                "ISSUE_SETUP_KEYS", "false",
                "ISSUE_MAX_CAPABILITIES", "mcp.tool.execute"))) {
      Reply reply =
          strict
              .nobody()
              .post("/api/issue", Calls.json("{'name': 'Agent', 'framework': ['claude-code']}"));
      assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
      assertThat(reply.json().has("api_key")).isFalse();
      assertThat(reply.json().isTrue("claim_email_sent")).isFalse();
      assertThat(
              strict
                  .admin()
                  .get("/api/passports/" + reply.string("agent_id"))
                  .json()
                  .array("capabilities")
                  .orElseThrow())
          .hasSize(1);
      assertThat(
              strict
                  .nobody()
                  .post(
                      "/api/issue",
                      Calls.json(
                          "{'name': 'A', 'framework': ['mcp'], 'capabilities': ['web.fetch']}"))
                  .status())
          .isEqualTo(400);
    }
  }
}

package dev.safeconduct.passport;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Observe mode with money, for agent and organization, against whoever would profit from it. */
@Tag("attack")
final class ObserveHeldBackTest {
  private static final String OBSERVED = "oap.observed";
  private static final String MODE =
      "{\"mode\": \"observe\", \"days\": 30, \"reason\": \"a trial\", \"include_money\": true}";

  private static final MovableClock CLOCK = new MovableClock();

  @AutoClose
  private static final TestService service = TestService.start(Map.of("MCP_SERVER", "true"), CLOCK);

  /** An organization whose mode is observe, as is that of its agent. */
  private record Observed(String org, String key, String agent) {
    static Observed made() {
      var made = Questions.Tenant.made(service, "Observed works", "'read', 'issue', 'update'");
      String agent =
          Questions.hosted(service, made.org(), Questions.passport(Questions.freshAgent(), 2));
      var observed = new Observed(made.org(), made.key(), agent);
      begin("/api/orgs/" + made.org() + "/mode");
      begin("/api/passports/" + agent + "/mode");
      return observed;
    }

    Calls calls() {
      return service.withKey(key);
    }
  }

  private static void begin(String path) {
    Reply reply = service.admin().put(path, MODE);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  /** Whether each form of asking lets a command through that only observe mode would allow. */
  private static Map<String, Boolean> through(Calls calls, String agent) {
    var through = new HashMap<String, Boolean>();
    JsonObject question = Questions.command(agent, "make");
    through.put("verify", calls.post(COMMAND, question).json().isTrue("allow"));
    through.put(
        "token",
        calls
            .post("/api/verify/token/system.command.execute.v1", question)
            .text()
            .contains("\"allow\":true"));
    through.put(
        "batch", Batches.ask(calls, Batches.command(agent, "make")).getFirst().isTrue("allow"));
    String hook =
        "{\"hook_event_name\": \"PreToolUse\", \"cwd\": \"/srv/p\", \"tool_name\": \"Bash\","
            + " \"tool_input\": {\"command\": \"make\"}}";
    Reply hooked = calls.with("Safeconduct-Agent", agent).post("/api/hooks/claude-code", hook);
    through.put("hook", hooked.status() == 200 && !hooked.text().contains("\"deny\""));
    JsonObject evaluation =
        Calls.json(
            """
            {'subject': {'type': 'agent', 'id': '%s'},
             'action': {'name': 'messaging.send', 'properties': {'message_type': 'text'}},
             'resource': {'type': 'channel', 'id': '1', 'properties': {'channel_id': 'other'}},
             'context': {'message': 'Done.'}}
            """
                .formatted(agent));
    through.put(
        "authzen",
        calls.post("/access/v1/evaluation", evaluation).text().contains("\"decision\":true"));
    return through;
  }

  /** First it must let through, else the rest would say nothing. */
  private static void demandOpen(Calls calls, String agent) {
    assertThat(through(calls, agent)).doesNotContainValue(false);
  }

  private static void demandClosed(String why, Calls calls, String agent) {
    assertThat(through(calls, agent)).as(why).doesNotContainValue(true);
  }

  private static Calls setupKey(String agent) {
    Reply made = service.admin().post("/api/passports/" + agent + "/setup-key", "{}");
    return service.withKey(made.string("key"));
  }

  private static String instance(String template, String ask) {
    Reply made = service.admin().post("/api/passports/" + template + "/instances", Calls.json(ask));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return made.string("agent_id");
  }

  /** By any of the ways to ask, of the agent itself and of instances of it. */
  @Test
  void inactivePassportsStayDeniedHoweverTheyAsk() {
    Observed works = Observed.made();
    Calls calls = works.calls();
    String below = instance(works.agent(), "{}");
    String far = instance(below, "{}");
    for (String agent : List.of(works.agent(), below, far)) {
      demandOpen(calls, agent);
      Questions.status(service, works.agent(), "suspended");
      demandClosed("suspended above " + agent, calls, agent);
      Questions.status(service, works.agent(), "active");
      String org = "/api/orgs/" + works.org();
      service.admin().post(org + "/halt", Calls.json("{'reason': 'stop'}"));
      demandClosed("halted " + agent, calls, agent);
      service.admin().post(org + "/resume", "{}");
      demandOpen(calls, agent);
    }
    Questions.status(service, below, "revoked");
    demandClosed("revoked above", calls, far);
    Questions.status(service, works.agent(), "revoked");
    demandClosed("revoked", calls, below);
  }

  @Test
  void expiredPassportsAndTheirInstancesStayDenied() {
    Observed works = Observed.made();
    String end = CLOCK.instant().plus(Duration.ofDays(1)).toString();
    String agent =
        Questions.hosted(
            service,
            works.org(),
            Questions.passport(Questions.freshAgent(), 2)
                .with("never_expires", JsonBoolean.FALSE)
                .with("expires_at", new JsonString(end)));
    String below = instance(agent, "{}");
    demandOpen(works.calls(), agent);
    demandOpen(works.calls(), below);
    CLOCK.advance(Duration.ofDays(1));
    demandClosed("expired", works.calls(), agent);
    demandClosed("expired above", works.calls(), below);
  }

  /** The MCP server answers with dry runs, which nobody acts on: what is enforced. */
  @Test
  void theMcpServerTellsWhatThePolicySays() {
    Observed works = Observed.made();
    demandOpen(works.calls(), works.agent());
    Reply checked =
        setupKey(works.agent())
            .post(
                "/mcp",
                Calls.json(
                    "{'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name':"
                        + " 'check_action', 'arguments': {'policy_id':"
                        + " 'system.command.execute.v1', 'context': {'command': 'make'}}}}"));
    assertThat(checked.text())
        .contains("\"would_allow\":false", "oap.command_not_allowed")
        .doesNotContain(OBSERVED);
  }

  /** A key that no longer holds is no credential, and the way to an allow is not its replay. */
  @Test
  void revokedKeysGetNoAllow() {
    Observed works = Observed.made();
    Reply made =
        service
            .admin()
            .post(
                "/api/orgs/" + works.org() + "/keys",
                Calls.json("{'name': 'k', 'scopes': ['read']}"));
    Calls repeated = service.withKey(made.string("key")).with("Idempotency-Key", "once");
    JsonObject question = Questions.command(works.agent(), "make");
    assertThat(Questions.code(repeated.post(COMMAND, question))).isEqualTo(OBSERVED);
    String key = "/api/orgs/" + works.org() + "/keys/" + made.string("key_id");
    Reply revoked = service.admin().delete(key);
    assertThat(revoked.status()).as(revoked.toString()).isEqualTo(200);
    for (String path : List.of(COMMAND, MESSAGE, "/api/verify/batch", "/access/v1/evaluation")) {
      assertThat(repeated.post(path, question).status()).as(path).isEqualTo(401);
    }
  }

  /** Ended by an owner, an allow is not repeated either; what is enforced stays enforced. */
  @Test
  void anEndedModeRepeatsNoAllow() {
    Observed works = Observed.made();
    Calls repeated = works.calls().with("Idempotency-Key", "once");
    JsonObject question = Questions.command(works.agent(), "make");
    JsonObject first = repeated.post(COMMAND, question).json();
    assertThat(Questions.code(first)).isEqualTo(OBSERVED);
    assertThat(repeated.post(COMMAND, question).string("decision_id"))
        .isEqualTo(first.string("decision_id").orElseThrow());
    service.admin().delete("/api/orgs/" + works.org() + "/mode");
    service.admin().delete("/api/passports/" + works.agent() + "/mode");
    assertThat(Questions.code(repeated.post(COMMAND, question)))
        .isEqualTo("oap.command_not_allowed");
  }

  /** Only the two routes of the mode set it, and only for an owner or an operator. */
  @Test
  void nobodyElseSetsItByAnyRoute() {
    var made = Questions.Tenant.made(service, "Enforced works", "'read', 'issue', 'update'");
    String agent =
        Questions.hosted(service, made.org(), Questions.passport(Questions.freshAgent(), 2));
    String all = "'read', 'issue', 'update', 'status', 'list_agents', 'read_audit'";
    Map<String, Calls> callers = new HashMap<>();
    callers.put(
        "key of all scopes",
        service.withKey(
            Questions.newKey(service, made.org(), "{'name': 'k', 'scopes': [" + all + "]}")));
    callers.put("nobody", service.nobody());
    callers.put("the agent", setupKey(agent));
    for (String role : List.of("admin", "member", "auditor")) {
      callers.put(role, service.member(made.org(), role + "-of-enforced@example.com", role));
    }
    callers.put("another owner", service.member(service.org(), "o@example.com", "owner"));
    callers.put("deploy token", token("deploy", ", 'org_id': '" + made.org() + "'"));
    callers.put("read-only token", token("read_only", ""));
    JsonObject mode = Json.own(MODE.getBytes(StandardCharsets.UTF_8));
    JsonObject passport = Questions.passport(Questions.freshAgent(), 2);
    for (Map.Entry<String, Calls> caller : callers.entrySet()) {
      Calls calls = caller.getValue();
      for (String of : List.of("/api/passports/" + agent, "/api/orgs/" + made.org())) {
        assertThat(calls.put(of + "/mode", MODE).status())
            .as(caller.getKey() + " " + of)
            .isIn(401, 403, 404);
        assertThat(calls.delete(of + "/mode").status())
            .as(caller.getKey() + " " + of)
            .isIn(401, 403, 404);
      }
      calls.patch("/api/passports/" + agent, "{\"mode\": \"observe\", \"observe\": " + MODE + "}");
      calls.post("/api/passports", passport.with("mode", new JsonString("observe")));
      calls.post("/api/passports/" + agent + "/instances", mode);
      calls.post("/api/orgs/" + made.org() + "/issue", passport.with("observe", mode));
      calls.post("/api/issue", passport.with("observe", mode));
      for (String kind : List.of("Passport", "Template", "ObserveMode", "Organization")) {
        JsonObject resource =
            passport
                .only(List.of("name", "capabilities", "limits"))
                .with("kind", new JsonString(kind))
                .with("slug", new JsonString("sneaky"))
                .with("mode", new JsonString("observe"));
        Reply applied =
            calls.post(
                "/api/apply",
                Calls.json("{'organization': '" + made.org() + "'}")
                    .with("resources", new JsonArray(List.of(resource))));
        if (applied.status() == 200) {
          assertThat(caller.getKey()).isIn("deploy token", "admin");
          assertThat(applied.text()).contains("mode is not known here and is ignored.");
        } else {
          assertThat(applied.status()).as(caller.getKey() + applied).isIn(400, 401, 403, 404);
        }
      }
      assertThat(service.admin().get("/api/passports/" + agent + "/mode").string("mode"))
          .as(caller.getKey())
          .isEqualTo("enforce");
    }
    assertThat(
            Questions.code(
                service.withKey(made.key()).post(COMMAND, Questions.command(agent, "make"))))
        .isEqualTo("oap.command_not_allowed");
    assertThat(service.admin().get("/api/audit?kind=config&org_id=" + made.org()).text())
        .doesNotContain("observe_mode");
  }

  private static Calls token(String role, String more) {
    Reply made =
        service
            .admin()
            .post(
                "/api/admin/tokens",
                Calls.json("{'name': 'Ana', 'role': '" + role + "'" + more + "}"));
    return service.nobody().with("Authorization", "Bearer " + made.string("token"));
  }
}

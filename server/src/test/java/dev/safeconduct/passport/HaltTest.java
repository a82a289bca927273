package dev.safeconduct.passport;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Once a halt has been answered no agent of the organization may act, here and on other nodes. */
@Tag("attack")
final class HaltTest {
  private static final String HALTED = "oap.organization_halted";
  private static final String TOKEN = "/api/verify/token/system.command.execute.v1";
  private static final String ALL = "/api/admin/";
  private static final int ASKING = 16;

  private static final Map<String, String> DATABASE = EachStore.POSTGRES.settings();
  @AutoClose private static final TestService one = TestService.start(withMcp());
  @AutoClose private static final TestService two = TestService.start(withMcp());
  @AutoClose private static final TestService alone = TestService.start();

  private static Map<String, String> withMcp() {
    var settings = new HashMap<>(DATABASE);
    // A decision token is for the address that all nodes share.
    settings.put("BASE_URL", "http://safeconduct.test");
    settings.put("MCP_SERVER", "true");
    return settings;
  }

  /** An organization with a key of its own and an agent. */
  private record Tenant(String org, String key, String agent) {
    static Tenant made(TestService service) {
      var made = Questions.Tenant.made(service, "Halted works", "'read', 'status'");
      String agent =
          Questions.hosted(
              service, made.org(), Questions.passport(Questions.freshAgent(), 1_000_000));
      return new Tenant(made.org(), made.key(), agent);
    }

    String path(String verb) {
      return "/api/orgs/" + org + "/" + verb;
    }

    String ask(TestService node, String policy) {
      JsonObject question =
          policy.startsWith(COMMAND) || policy.equals(TOKEN)
              ? Questions.command(agent, "ls")
              : Questions.message(agent);
      return Questions.code(node.withKey(key).post(policy, question));
    }
  }

  private static Reply halt(TestService node, String path) {
    return changed(node.admin().post(path, Calls.json("{'reason': 'a stolen key'}")));
  }

  private static Reply resume(TestService node, String path) {
    return changed(node.admin().post(path, "{}"));
  }

  private static Reply changed(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().isTrue("changed")).as(reply.toString()).isTrue();
    return reply;
  }

  @Test
  void deniesTheNextQuestionOnEachNodeAndOfThatOrganizationOnly() {
    for (List<TestService> nodes : List.of(List.of(alone, alone), List.of(one, two))) {
      TestService first = nodes.getFirst();
      TestService last = nodes.getLast();
      Tenant halted = Tenant.made(first);
      Tenant other = Tenant.made(first);
      for (int i = 0; i < 10; i++) {
        Reply answer = halt(i % 2 == 0 ? first : last, halted.path("halt"));
        assertThat(Questions.number(answer.json(), "active_agents")).isEqualTo(1);
        for (String policy : List.of(COMMAND, MESSAGE, COMMAND + "?dry_run=true")) {
          assertThat(halted.ask(last, policy)).isEqualTo(HALTED);
          assertThat(halted.ask(first, policy)).isEqualTo(HALTED);
          assertThat(other.ask(last, policy)).isEqualTo("oap.allowed");
        }
        resume(last, halted.path("resume"));
        assertThat(halted.ask(first, COMMAND)).isEqualTo("oap.allowed");
        assertThat(halted.ask(last, MESSAGE)).isEqualTo("oap.allowed");
      }
      halt(first, ALL + "halt");
      assertThat(halted.ask(last, COMMAND)).isEqualTo(HALTED);
      assertThat(other.ask(last, MESSAGE)).isEqualTo(HALTED);
      resume(last, ALL + "resume");
      assertThat(other.ask(first, COMMAND)).isEqualTo("oap.allowed");
    }
  }

  /** Batches, AuthZEN, hooks, a passport in the request and a repeated request. */
  @Test
  void deniesEveryFormOfAQuestion() {
    Tenant tenant = Tenant.made(two);
    Calls first = one.withKey(tenant.key());
    Calls calls = two.withKey(tenant.key());
    String agent = tenant.agent();
    Calls repeated = calls.with("Idempotency-Key", "once");
    assertThat(Questions.code(repeated.post(COMMAND, Questions.command(agent, "ls"))))
        .isEqualTo("oap.allowed");
    JsonObject evaluation =
        Calls.json(
            """
            {'subject': {'type': 'agent', 'id': '%s'},
             'action': {'name': 'messaging.send', 'properties': {'message_type': 'text'}},
             'resource': {'type': 'channel', 'id': '1', 'properties': {'channel_id': 'team'}},
             'context': {'message': 'Done.'}}
            """
                .formatted(agent));
    assertThat(calls.post("/access/v1/evaluation", evaluation).text()).contains("true");
    String hook =
        "{\"hook_event_name\": \"PreToolUse\", \"cwd\": \"/srv/p\", \"tool_name\": \"TodoWrite\","
            + " \"tool_input\": {}}";
    Calls hooks = calls.with("Safeconduct-Agent", agent);
    assertThat(hooks.post("/api/hooks/claude-code", hook).text()).doesNotContain("deny");
    halt(one, tenant.path("halt"));
    Reply again = repeated.post(COMMAND, Questions.command(agent, "ls"));
    assertThat(again.header("Idempotent-Replayed")).isEmpty();
    assertThat(Questions.code(again)).isEqualTo(HALTED);
    assertThat(Questions.code(repeated.post(COMMAND, Questions.command(agent, "ls"))))
        .isEqualTo(HALTED);
    assertThat(hooks.post("/api/hooks/claude-code", hook).text()).contains("deny", HALTED);
    Reply decided = calls.post("/access/v1/evaluation", evaluation);
    assertThat(decided.text()).contains("\"decision\":false", HALTED);
    assertThat(Batches.ask(calls, Batches.command(agent, "ls"), Batches.message(agent)))
        .extracting(Batches::outcome)
        .containsOnly(HALTED);
    JsonObject sent =
        JsonObject.builder()
            .put("passport", Questions.passport(Questions.freshAgent(), 5))
            .put("context", Calls.json("{'command': 'ls'}"))
            .build();
    assertThat(Questions.code(first.post(COMMAND, sent))).isEqualTo(HALTED);
    assertThat(one.nobody().get("/api/verify-compact?agent_id=" + agent).string("status"))
        .isEqualTo("suspended");
    resume(one, tenant.path("resume"));
    assertThat(Questions.code(repeated.post(COMMAND, Questions.command(agent, "ls"))))
        .isEqualTo("oap.allowed");
    assertThat(Questions.code(first.post(COMMAND, sent))).isEqualTo("oap.allowed");
  }

  /** An agent that asks over MCP, and a hook that asks for a tool of an MCP server. */
  @Test
  void deniesOverMcp() {
    Tenant tenant = Tenant.made(one);
    String agent =
        Questions.hosted(
            one,
            tenant.org(),
            Calls.json(
                """
                {'agent_id': '%s', 'name': 'Over MCP', 'assurance_level': 'L2',
                 'capabilities': [{'id': 'mcp.tool.execute'}], 'regions': ['US'],
                 'limits': {'mcp.tool.execute': {'allowed_servers': ['mcp:github'],
                   'allowed_tools': ['*'], 'max_calls_per_minute': 1000}}}
                """
                    .formatted(Questions.freshAgent())));
    String key = one.admin().post("/api/passports/" + agent + "/setup-key", "{}").string("key");
    Calls hooks = two.withKey(tenant.key()).with("Safeconduct-Agent", agent);
    String hook =
        "{\"hook_event_name\": \"PreToolUse\", \"cwd\": \"/srv/p\","
            + " \"tool_name\": \"mcp__github__create_issue\", \"tool_input\": {}}";
    for (TestService node : List.of(one, two)) {
      assertThat(overMcp(node, key, "check_action")).contains("oap.allowed");
      assertThat(overMcp(node, key, "request_approval")).contains("not_needed");
    }
    assertThat(hooks.post("/api/hooks/claude-code", hook).text()).doesNotContain("deny");
    halt(one, tenant.path("halt"));
    for (TestService node : List.of(one, two)) {
      for (String tool : List.of("check_action", "request_approval")) {
        assertThat(overMcp(node, key, tool)).as(tool).contains(HALTED);
      }
    }
    assertThat(hooks.post("/api/hooks/claude-code", hook).text()).contains("deny", HALTED);
    resume(two, tenant.path("resume"));
    assertThat(overMcp(one, key, "check_action")).contains("oap.allowed");
  }

  private static String overMcp(TestService node, String key, String tool) {
    Reply reply =
        node.withKey(key)
            .post(
                "/mcp",
                Calls.json(
                    """
                    {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name': '%s',
                     'arguments': {'policy_id': 'mcp.tool.execute.v1',
                       'context': {'server': 'mcp:github', 'tool': 'create_issue',
                         'parameters': {}}}}}
                    """
                        .formatted(tool)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.text();
  }

  @Test
  void endsDecisionTokensAndTellsTheirReaders() {
    Tenant tenant = Tenant.made(one);
    Tenant other = Tenant.made(one);
    Calls calls = one.withKey(tenant.key());
    String token = calls.post(TOKEN, Questions.command(tenant.agent(), "ls")).string("token");
    String cursor = calls.get("/api/revocations").string("next_cursor");
    assertThat(Questions.verdict(two, token)).isEqualTo("valid");
    halt(one, tenant.path("halt"));
    // A reader on another node is told within a second; a decision there is denied at once.
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (Questions.verdict(two, token).equals("valid") && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(Questions.verdict(two, token)).isEqualTo("organization_halted");
    assertThat(calls.post(TOKEN, Questions.command(tenant.agent(), "ls")).text())
        .contains("\"token\":null");
    String since = "/api/revocations?wait_ms=1000&cursor=" + cursor;
    assertThat(two.withKey(tenant.key()).get(since).text())
        .contains("\"type\":\"organization\",\"halted\":true");
    assertThat(one.withKey(other.key()).get("/api/revocations?cursor=" + cursor).text())
        .contains("\"revocations\":[]");
    resume(one, tenant.path("resume"));
  }

  /** Callers go on asking until each has been denied; one of them halts after a while. */
  @Test
  void nothingIsAllowedAfterTheRecordOfAHalt() {
    for (int round = 0; round < 3; round++) {
      for (List<TestService> nodes : List.of(List.of(alone), List.of(one, two))) {
        Tenant tenant = Tenant.made(nodes.getFirst());
        haltsWhileOthersAsk(nodes, tenant);
        long halted = -1;
        long lastAllowed = -1;
        Calls admin = nodes.getFirst().admin();
        for (var value :
            Questions.records(admin, "limit=1&kind=config&org_id=" + tenant.org()).elements()) {
          halted = Questions.number((JsonObject) value, "log_index");
        }
        for (var value :
            Questions.records(admin, "limit=1&allow=true&org_id=" + tenant.org()).elements()) {
          lastAllowed = Questions.number((JsonObject) value, "log_index");
        }
        assertThat(lastAllowed).isPositive().isLessThan(halted);
      }
    }
  }

  private static void haltsWhileOthersAsk(List<TestService> nodes, Tenant tenant) {
    var answered = new AtomicBoolean();
    // Waiting must not hold a processor: the callers share few.
    var asked = new CountDownLatch(5 * ASKING);
    AtOnce.run(
        ASKING + 1,
        i -> {
          TestService node = nodes.get(i % nodes.size());
          if (i == ASKING) {
            assertThat(isZero(asked)).isTrue();
            halt(node, tenant.path("halt"));
            answered.set(true);
            return true;
          }
          for (boolean late = false; !late; ) {
            late = answered.get();
            String code = tenant.ask(node, i % 3 == 0 ? MESSAGE : COMMAND);
            asked.countDown();
            assertThat(code).isIn(late ? List.of(HALTED) : List.of("oap.allowed", HALTED));
          }
          return true;
        });
  }

  private static boolean isZero(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void onlyOwnersAdminsAndOperatorsHaltAndOnlyOperatorsEndTheirs() {
    Tenant tenant = Tenant.made(alone);
    String org = tenant.org();
    Calls owner = alone.member(org, "owner-of-halted@example.com", "owner");
    Calls member = alone.member(org, "member-of-halted@example.com", "member");
    JsonObject why = Calls.json("{'reason': 'a drill'}");
    assertThat(alone.withKey(tenant.key()).post(tenant.path("halt"), why).status()).isEqualTo(403);
    assertThat(member.post(tenant.path("halt"), why).status()).isEqualTo(403);
    assertThat(owner.post(ALL + "halt", why).status()).isEqualTo(403);
    assertThat(owner.post("/api/orgs/" + alone.org() + "/halt", why).status()).isEqualTo(404);
    assertThat(owner.post(tenant.path("halt"), "{}").status()).isEqualTo(400);
    changed(owner.post(tenant.path("halt"), why));
    Reply twice = owner.post(tenant.path("halt"), why);
    assertThat(twice.json().isTrue("changed")).isFalse();
    assertThat(alone.letters().await("owner-of-halted@example.com", 2).getLast())
        .contains("is halted", "a drill");
    changed(owner.post(tenant.path("resume"), "{}"));
    halt(alone, tenant.path("halt"));
    assertThat(owner.post(tenant.path("resume"), "{}").status()).isEqualTo(403);
    assertThat(tenant.ask(alone, COMMAND)).isEqualTo(HALTED);
    Reply banner = member.get("/console");
    assertThat(banner.text()).contains("id=\"halted\"", "a stolen key");
    resume(alone, tenant.path("resume"));
    assertThat(member.get("/console").text()).doesNotContain("id=\"halted\"");
    assertThat(alone.admin().get("/api/audit?kind=config&org_id=" + org).text())
        .contains("organization_halted", "organization_resumed", "a drill", "a stolen key");
  }

  /** An operator's halt and the organization's own do not replace or end each other. */
  @Test
  void twoHaltsBothHaveToEnd() {
    for (TestService node : List.of(alone, two)) {
      Tenant tenant = Tenant.made(node);
      String email = "owner-of-two@example.com";
      Calls owner = node.member(tenant.org(), email, "owner");
      JsonObject why = Calls.json("{'reason': 'our own'}");
      for (boolean ownFirst : List.of(true, false)) {
        changed(ownFirst ? owner.post(tenant.path("halt"), why) : halt(node, tenant.path("halt")));
        Reply both =
            changed(
                ownFirst ? halt(node, tenant.path("halt")) : owner.post(tenant.path("halt"), why));
        assertThat(both.text()).contains("our own", "a stolen key");
        assertThat(owner.get("/console/halt").text()).contains("our own", "a stolen key");
        Reply first =
            ownFirst
                ? resume(node, tenant.path("resume"))
                : changed(owner.post(tenant.path("resume"), "{}"));
        assertThat(first.json().isTrue("halted")).isTrue();
        assertThat(tenant.ask(node, COMMAND)).isEqualTo(HALTED);
        if (!ownFirst) {
          assertThat(owner.post(tenant.path("resume"), "{}").status()).isEqualTo(403);
        }
        Reply last =
            ownFirst
                ? changed(owner.post(tenant.path("resume"), "{}"))
                : resume(node, tenant.path("resume"));
        assertThat(last.json().isTrue("halted")).isFalse();
        assertThat(tenant.ask(node, COMMAND)).isEqualTo("oap.allowed");
      }
    }
  }

  /** Sent again, the request must not end the organization's own halt. */
  @Test
  void anOperatorEndsTheOwnHaltOnlyOnRequest() {
    Tenant tenant = Tenant.made(alone);
    Calls owner = alone.member(tenant.org(), "owner-of-own@example.com", "owner");
    changed(owner.post(tenant.path("halt"), Calls.json("{'reason': 'our own'}")));
    halt(alone, tenant.path("halt"));
    resume(alone, tenant.path("resume"));
    assertThat(lastChange(tenant)).contains("\"by_operator\":true", "\"still_halted\":true");
    Reply again = alone.admin().post(tenant.path("resume"), "{}");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().isTrue("changed")).isFalse();
    assertThat(again.json().isTrue("halted")).isTrue();
    assertThat(tenant.ask(alone, COMMAND)).isEqualTo(HALTED);
    changed(alone.admin().post(tenant.path("resume"), "{\"own\": true}"));
    assertThat(lastChange(tenant)).contains("\"by_operator\":false", "\"still_halted\":false");
    assertThat(tenant.ask(alone, COMMAND)).isEqualTo("oap.allowed");
    assertThat(alone.admin().post(ALL + "resume", "{\"own\": true}").status()).isEqualTo(400);
  }

  private static String lastChange(Tenant tenant) {
    return Questions.records(alone.admin(), "limit=1&kind=config&org_id=" + tenant.org())
        .toString();
  }

  @Test
  void theConsoleHaltsOnlyAfterTheNameIsTyped() {
    Tenant tenant = Tenant.made(alone);
    Calls owner = alone.member(tenant.org(), "console-of-halted@example.com", "owner");
    String form = "/console/halt/own/halt";
    Reply page = owner.get("/console/halt");
    assertThat(page.text()).contains("1 active agent", "Halted works");
    Reply wrong =
        Pages.send(owner, form, page, Map.of("reason", "a drill", "confirm", "halted works"));
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(tenant.ask(alone, COMMAND)).isEqualTo("oap.allowed");
    Reply done =
        Pages.send(owner, form, page, Map.of("reason", "a drill", "confirm", "Halted works"));
    assertThat(done.status()).as(done.toString()).isEqualTo(303);
    assertThat(tenant.ask(alone, COMMAND)).isEqualTo(HALTED);
    Reply resumed = Pages.send(owner, "/console/halt/own/resume", page, Map.of());
    assertThat(resumed.status()).as(resumed.toString()).isEqualTo(303);
    assertThat(tenant.ask(alone, COMMAND)).isEqualTo("oap.allowed");
  }

  /** The form says which halt it ends: sent twice, it must not end both. */
  @Test
  void theConsoleEndsTheHaltThatItShowed() {
    Calls operator = alone.operator();
    String org = "/api/orgs/" + alone.org() + "/";
    Calls owner = alone.member(alone.org(), "own-of-console@example.com", "owner");
    changed(owner.post(org + "halt", Calls.json("{'reason': 'our own'}")));
    String own = "name=\"own\"";
    assertThat(operator.get("/console/halt").text()).contains(own);
    halt(alone, org + "halt");
    Reply page = operator.get("/console/halt");
    assertThat(page.text()).doesNotContain(own);
    for (int i = 0; i < 2; i++) {
      assertThat(Pages.send(operator, "/console/halt/own/resume", page, Map.of()).status())
          .isEqualTo(303);
      assertThat(alone.admin().get(org + "halt").json().isTrue("halted")).isTrue();
    }
    Reply ended = Pages.send(operator, "/console/halt/own/resume", page, Map.of("own", "true"));
    assertThat(ended.status()).isEqualTo(303);
    assertThat(alone.admin().get(org + "halt").json().isTrue("halted")).isFalse();
  }
}

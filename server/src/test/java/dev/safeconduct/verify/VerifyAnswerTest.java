package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a decision looks like on the wire. */
final class VerifyAnswerTest {
  private static final List<String> DECISION =
      List.of(
          "agent_id",
          "allow",
          "assurance_level",
          "context_digest",
          "created_at",
          "decision_id",
          "dry_run",
          "expires_at",
          "expires_in",
          "issued_at",
          "kid",
          "owner_id",
          "passport_digest",
          "passport_id",
          "passport_source",
          "policy_digest",
          "policy_id",
          "policy_source",
          "reasons");

  @AutoClose private static final TestService service = TestService.start();

  private static final String id = Questions.hosted(service, 100);

  private static JsonObject without(JsonObject from, List<String> names) {
    JsonObject rest = from;
    for (String name : names) {
      rest = rest.without(name);
    }
    return rest;
  }

  @ParameterizedTest
  @ValueSource(strings = {"git status", "rm -rf /"})
  void hasExactlyTheDocumentedMembers(String command) {
    Reply reply = service.owner().post(COMMAND, Questions.command(id, command));
    JsonObject flat = reply.json();
    JsonObject nested = flat.object("decision").orElseThrow();
    boolean allow = command.startsWith("git");
    assertThat(flat.isTrue("allow")).isEqualTo(allow);
    var inner = new ArrayList<>(DECISION);
    inner.add("log_index");
    inner.add("signature");
    assertThat(nested.names()).containsExactlyInAnyOrderElementsOf(inner);
    List<String> beside =
        List.of("decision", "verified", "reason", "request_id", "policy", "passport");
    assertThat(without(flat, beside)).isEqualTo(nested);
    assertThat(flat.names()).containsAll(beside);

    assertThat(flat.isTrue("verified")).isEqualTo(allow);
    assertThat(flat.string("request_id")).isEqualTo(reply.header("X-Request-Id"));
    JsonObject reason = (JsonObject) nested.array("reasons").orElseThrow().get(0);
    assertThat(flat.string("reason")).isEqualTo(reason.string("message"));
    assertThat(reason.string("severity")).contains(allow ? "info" : "error");
    assertThat(reason.has("rule")).isEqualTo(!allow);
    assertThat(flat.object("policy").orElseThrow())
        .isEqualTo(
            Calls.json(
                "{'id': 'system.command.execute.v1', 'name': 'Run a shell command',"
                    + " 'version': '1.0.0'}"));
    assertThat(flat.object("passport").orElseThrow())
        .isEqualTo(
            Calls.json("{'agent_id': '" + id + "', 'status': 'active', 'assurance_level': 'L2'}"));
    assertThat(reply.string("created_at")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    assertThat(reply.string("expires_at")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    assertThat(reply.string("issued_at")).matches(".*\\.\\d{3}Z");
    assertThat(reply.string("decision_id")).matches("[0-9a-f-]{36}");
    assertThat(reply.string("kid")).matches("oap:registry:[A-Za-z0-9._-]+");
    assertThat(reply.string("signature")).matches("ed25519:[A-Za-z0-9+/]{86}==");
    assertThat(reply.string("passport_id").replace("-", "")).isEqualTo(id.substring(3));
  }

  @Test
  void carriesTheHeadersOfAVerifyAnswer() {
    Reply reply =
        service
            .owner()
            .with("X-Request-Id", "my.request-1")
            .post(COMMAND, Questions.command(id, "git"));
    assertThat(reply.header("X-Request-Id")).contains("my.request-1");
    assertThat(reply.string("request_id")).isEqualTo("my.request-1");
    assertThat(reply.header("Cache-Control")).contains("no-store");
    assertThat(reply.header("X-Content-Type-Options")).contains("nosniff");
    assertThat(reply.header("Content-Type").orElseThrow()).startsWith("application/json");
    assertThat(reply.header("Server-Timing").orElseThrow())
        .matches("auth;dur=.*, policy;dur=.*, sign;dur=.*, store;dur=.*");
    assertThat(reply.header("Idempotent-Replayed")).isEmpty();
  }

  /** How long an allow may be cached: by pack and outcome. */
  @Test
  void expiresAsThePackSays() {
    Reply stateless = service.owner().post(COMMAND, Questions.command(id, "git"));
    long seconds = Questions.number(stateless.json(), "expires_in");
    assertThat(seconds).isBetween(1L, 30L);
    assertThat(java.time.Instant.parse(stateless.string("expires_at")))
        .isEqualTo(java.time.Instant.parse(stateless.string("created_at")).plusSeconds(seconds));
    Map<String, Reply> never =
        Map.of(
            "a deny", service.owner().post(COMMAND, Questions.command(id, "rm x")),
            "counted", service.owner().post(MESSAGE, Questions.message(id)),
            "a dry run",
                service.owner().post(COMMAND + "?dry_run=true", Questions.command(id, "git")));
    never.forEach((what, reply) -> {
      assertThat(Questions.number(reply.json(), "expires_in")).as(what).isZero();
      assertThat(reply.string("expires_at")).isEqualTo(reply.string("created_at"));
    });
  }

  @Test
  void answersMinimallyWhenAsked() {
    Calls minimal = service.owner().with("Prefer", "return=minimal");
    var members = new ArrayList<>(DECISION);
    members.addAll(List.of("log_index", "signature"));
    assertThat(minimal.post(COMMAND, Questions.command(id, "git")).json().names())
        .containsExactlyInAnyOrderElementsOf(members);
  }

  @Test
  void answersTheOldestPythonSdkShortly() {
    JsonObject old =
        Calls.json(
            "{'agent_id': '"
                + id
                + "', 'idempotency_key': null,"
                + " 'context': {'command': 'git'}}");
    Calls python = service.owner().with("User-Agent", "aport-sdk-python/0.1.0");
    assertThat(python.post(COMMAND, old).json().names())
        .containsExactlyInAnyOrder(
            "decision_id",
            "allow",
            "reasons",
            "assurance_level",
            "expires_in",
            "passport_digest",
            "signature",
            "created_at");
    // Its successor has the same name but another body.
    assertThat(python.post(COMMAND, Questions.command(id, "git")).json().has("decision")).isTrue();
    assertThat(service.owner().post(COMMAND, old).json().has("decision")).isTrue();
  }

  @Test
  void explainsWhenAsked() {
    JsonObject question =
        Calls.json("{'context': {'agent_id': '" + id + "', 'params': {'command': 'rm x'}}}");
    Reply reply = service.owner().post(COMMAND + "?explain=true", question);
    JsonArray trace = reply.json().array("trace").orElseThrow();
    JsonObject first = (JsonObject) trace.get(0);
    JsonObject last = (JsonObject) trace.get(trace.size() - 1);
    assertThat(first.toString()).contains("params.command");
    assertThat(last.isTrue("passed")).isFalse();
    assertThat(last.toString()).contains("command_allowlist", "rm x", "\"ls\"");
    assertThat(reply.json().object("decision").orElseThrow().has("trace")).isFalse();
    assertThat(service.owner().post(COMMAND, question).json().has("trace")).isFalse();
    assertThat(service.owner().post(COMMAND + "?explain=perhaps", question).status())
        .isEqualTo(400);
  }

  /** Values stand in many checks and are written once: everywhere the same, nowhere a secret. */
  @Test
  void showsTheSameValueInEveryCheckThatLooksAtIt() {
    JsonObject question =
        Calls.json(
            """
            {'passport': {'agent_id': 'ap_traced', 'status': 'active',
               'capabilities': ['system.command.execute'],
               'limits': {'system.command.execute': {'allowed_commands': ['git'],
                 'blocked_patterns': ['password=hunter2-hunter2']}}},
             'context': {'agent_id': 'ap_traced', 'command': 'git log --token=hunter2-hunter2',
               'cwd': '/srv'}}
            """);
    Reply reply = service.owner().post(COMMAND + "?explain=true", question);
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.text()).doesNotContain("hunter2");
    var commands = new ArrayList<String>();
    for (JsonValue check : reply.json().array("trace").orElseThrow()) {
      ((JsonObject) check)
          .object("context")
          .flatMap(context -> context.string("command"))
          .ifPresent(commands::add);
    }
    assertThat(commands).hasSize(4).containsOnly(commands.getFirst());
    assertThat(commands.getFirst()).startsWith("git log ");
    assertThat(commands.getFirst()).contains("[redacted hmac-sha256:");
  }

  @Test
  void looksAtCountersOnlyInADryRun() {
    String agent = Questions.hosted(service, 1);
    JsonObject question = Questions.message(agent);
    for (int i = 0; i < 3; i++) {
      Reply dry = service.owner().post(MESSAGE + "?dry_run=true", question);
      assertThat(Questions.code(dry)).isEqualTo("oap.allowed");
      assertThat(dry.json().object("decision").orElseThrow().isTrue("dry_run")).isTrue();
      assertThat(
              service
                  .owner()
                  .get("/api/decisions/" + dry.string("decision_id"))
                  .json()
                  .isTrue("dry_run"))
          .isTrue();
    }
    assertThat(Questions.code(service.owner().post(MESSAGE, question))).isEqualTo("oap.allowed");
    assertThat(Questions.code(service.owner().post(MESSAGE + "?dry_run=true", question)))
        .isEqualTo("oap.rate_limit_exceeded");
    assertThat(service.owner().post(MESSAGE + "?dry_run=2", question).status()).isEqualTo(400);
  }

  /** A key of nothing but audit rights asks in vain; one of another organization sees nobody. */
  @Test
  void asksForTheScope() {
    String auditor =
        Questions.newKey(service, service.org(), "{'name': 'a', 'scopes': ['read_audit']}");
    Reply forbidden = service.withKey(auditor).post(COMMAND, Questions.command(id, "git"));
    assertThat(forbidden.status()).isEqualTo(403);
    assertThat(forbidden.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    Reply unknown = service.nobody().post(COMMAND, Questions.command(id, "git"));
    assertThat(unknown.status()).isEqualTo(401);
    assertThat(unknown.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    Questions.Tenant tenant = Questions.Tenant.made(service, "Other", "'read'");
    assertThat(service.withKey(tenant.key()).post(COMMAND, Questions.command(id, "git")).status())
        .isEqualTo(404);
  }

  @Test
  void lettingTheAdminActForAnOrganization() {
    Questions.Tenant tenant = Questions.Tenant.made(service, "Asked for", "'read_audit'");
    JsonObject question =
        Questions.command("ap_mine", "git").with("passport", Questions.passport("ap_mine", 5));
    assertThat(service.admin().post(COMMAND, question).string("owner_id")).isEqualTo(service.org());
    Reply byQuery = service.admin().post(COMMAND + "?org_id=" + tenant.org(), question);
    Reply byBody =
        service
            .admin()
            .post(
                COMMAND,
                question.with("org_id", new dev.safeconduct.json.JsonString(tenant.org())));
    for (Reply reply : List.of(byQuery, byBody)) {
      assertThat(reply.string("owner_id")).isEqualTo(tenant.org());
      assertThat(
              service
                  .withKey(tenant.key())
                  .get("/api/decisions/" + reply.string("decision_id"))
                  .status())
          .isEqualTo(200);
    }
    assertThat(service.admin().post(COMMAND + "?org_id=org_nobody", question).status())
        .isEqualTo(404);
    // An ordinary key cannot choose.
    assertThat(
            service.owner().post(COMMAND + "?org_id=" + tenant.org(), question).string("owner_id"))
        .isEqualTo(service.org());
  }
}

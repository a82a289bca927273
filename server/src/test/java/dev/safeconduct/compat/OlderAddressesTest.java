package dev.safeconduct.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.ClientReading;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An older address does what the route behind it does, and no more. */
final class OlderAddressesTest {
  private static final String COMMAND = "system.command.execute.v1";

  @AutoClose private static final TestService service = TestService.start();

  private static final String agent = Questions.hosted(service, 9);

  @Test
  void decideIsAVerifyWithThePackInTheBody() {
    for (String command : List.of("git", "curl")) {
      JsonObject body =
          Calls.json(
              "{'passport_id': '%s', 'policy_id': '%s', 'context': {'command': '%s'}}"
                  .formatted(agent, COMMAND, command));
      Reply reply = service.owner().post("/v1/decide", body);
      ClientReading.FLAT.finds(
          reply.json(),
          command.equals("git"),
          command.equals("git") ? "oap.allowed" : "oap.command_not_allowed");
      assertThat(reply.string("policy_id")).isEqualTo(COMMAND);
      assertThat(reply.header("Server-Timing")).isPresent();
      assertThat(service.owner().get("/api/decisions/" + reply.string("decision_id")).status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'passport_id': 'ap_one', 'context': {'agent_id': 'ap_two'}, 'policy_id': 'web.fetch.v1'}",
        "{'passport_id': 7, 'context': {}, 'policy_id': 'web.fetch.v1'}",
        "{'passport_id': 'ap_one', 'context': {}}",
        "{'passport_id': 'ap_one', 'context': {}, 'policy_id': 7}",
        "{'passport_id': 'ap_one', 'policy_id': 'web.fetch.v1'}",
      })
  void decideIsAsStrictAsVerify(String body) {
    Reply reply = service.owner().post("/v1/decide", Calls.json(body));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.json().isTrue("allow")).isFalse();
    assertThat(reply.json().has("field")).isTrue();
  }

  /** Path, body, and the field that is at fault. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          /v1/decide        | {'passport_id': 5, 'context': {}, 'policy_id': 'web.fetch.v1'} | passport_id
          /v1/decide        | {'agent_id': 5, 'context': {}, 'policy_id': 'web.fetch.v1'}    | agent_id
          /v1/decide        | {'agent_id': 5, 'passport_id': 5, 'context': {}, 'policy_id': 'web.fetch.v1'} | agent_id
          /v1/decide        | {'passport_id': 'a', 'context': {'agent_id': 5}, 'policy_id': 'web.fetch.v1'} | context.agent_id
          /v1/decide        | {'passport_id': '', 'context': {}, 'policy_id': 'web.fetch.v1'} | passport_id
          /webhooks/test    | {'url': 5}                                                     | url
          /webhooks/test    | {'url': 'no address'}                                          | url
          /webhooks/test    | {'webhook_url': 5}                                             | webhook_url
          /webhooks/test    | {'webhook_url': 5, 'url': 'https://a.example'}                 | webhook_url
          /webhooks/test    | {}                                                             | webhook_url
          /webhooks/test    | {'url': 'https://a.example', 'secret': 5}                      | secret
          /webhooks/test    | {'url': 'https://a.example', 'agent_id': 'no id'}              | agent_id
          /api/admin/create | {'owner': 5}                                                   | owner
          /api/admin/create | {'name': 5, 'owner': 'Ada'}                                    | name
          /api/suspend      | {'agent_id': 5}                                                | agent_id
          """)
  void aFaultHasTheNameThatWasSent(String path, String body, String field) {
    Reply reply = service.admin().post(path, Calls.json(body));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo(field);
    if (!field.equals("webhook_url")) {
      assertThat(reply.string("message")).doesNotContain("webhook_", "test_agent_id");
    }
  }

  @Test
  void theQueryNamesTheAgentAsThePathDoes() {
    Reply byPath = service.nobody().get("/api/verify/" + agent);
    Reply byQuery = service.nobody().get("/api/verify?agent_id=" + agent);
    assertThat(byQuery.json()).isEqualTo(byPath.json());
    assertThat(byQuery.header("ETag")).isEqualTo(byPath.header("ETag"));
    Reply known =
        service
            .nobody()
            .with("If-None-Match", byQuery.header("ETag").orElseThrow())
            .get("/api/verify?agent_id=" + agent);
    assertThat(known.status()).isEqualTo(304);
  }

  /** Whoever owns the passport may have written anything into it; the picture has none of it. */
  @Test
  void aBadgeShowsTheStatusAndNothingElse() {
    Reply made =
        service
            .owner()
            .post(
                "/api/passports", Calls.json("{'name': '<script>x</script>', 'role': '\\u0026'}"));
    String id = made.string("agent_id");
    for (String status : List.of("active", "suspended", "revoked")) {
      Questions.status(service, id, status);
      Reply badge = service.nobody().get("/badge/" + id + ".svg");
      assertThat(badge.header("Content-Type")).contains("image/svg+xml");
      assertThat(badge.header("Content-Security-Policy")).contains("default-src 'none'");
      assertThat(badge.text()).contains(status + " L0").doesNotContain("script", "&");
      assertThat(service.nobody().get("/api/verify-compact?agent_id=" + id).string("status"))
          .isEqualTo(status);
    }
  }

  @Test
  void theDecisionsOfAnAgentAreItsAlone() {
    String other = Questions.hosted(service, 9);
    var asked =
        List.of("git", "ls", "curl").stream()
            .map(command ->
                service
                    .owner()
                    .post("/api/verify/policy/" + COMMAND, Questions.command(other, command))
                    .json()
                    .object("decision")
                    .orElseThrow())
            .toList();
    String path = "/api/verify/decisions/" + other;
    Reply first = service.owner().get(path + "?limit=2");
    assertThat(first.json().array("decisions").orElseThrow().elements())
        .isEqualTo(asked.reversed().subList(0, 2));
    Reply second = service.owner().get(path + "?cursor=" + first.string("next_cursor"));
    assertThat(second.json().array("decisions").orElseThrow().elements())
        .isEqualTo(asked.subList(0, 1));
    var stranger = Questions.Tenant.made(service, "Strangers", "'read_audit'");
    assertThat(service.withKey(stranger.key()).get(path).status()).isEqualTo(404);
  }

  @Test
  void suspendBitesAtOnceAndSaysWhyInTheRecord() {
    String other = Questions.hosted(service, 9);
    JsonObject body = Calls.json("{'agent_id': '%s', 'reason': 'A drill'}".formatted(other));
    Reply reply = service.owner().post("/api/suspend", body);
    assertThat(reply.json().isTrue("success")).isTrue();
    assertThat(reply.string("message"))
        .isEqualTo("Agent status updated from 'active' to 'suspended'");
    assertThat(
            Questions.code(
                service
                    .owner()
                    .post("/api/verify/policy/" + COMMAND, Questions.command(other, "git"))))
        .isEqualTo("oap.passport_suspended");
    assertThat(service.owner().get("/api/passports/" + other + "/history").text())
        .contains("A drill");
    var reader = Questions.Tenant.made(service, "Readers", "'read'");
    assertThat(service.withKey(reader.key()).post("/api/suspend", body).status()).isEqualTo(403);
  }

  /** What has no place in a passport is kept in its metadata; a later change leaves it there. */
  @Test
  void aPassportIsBroughtOverWithItsId() {
    Calls admin = service.admin();
    Reply made =
        admin.post(
            "/api/admin/create",
            Calls.json(
                """
                {'agent_id': 'legacy-agent_1', 'owner': 'Example Ltd', 'controller_type': 'person',
                 'permissions': ['read:data'], 'metadata': {'team': 'a'}, 'regions': ['US-CA'],
                 'assurance_level': 'L2', 'capabilities': ['messaging.send'],
                 'limits': {'api_calls_per_hour': 500}}
                """));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(made.header("Location")).contains("/api/passports/legacy-agent_1");
    assertThat(made.string("agent_id")).isEqualTo("legacy-agent_1");
    assertThat(made.string("name")).isEqualTo("Example Ltd");
    assertThat(made.string("owner_type")).isEqualTo("user");
    assertThat(made.string("assurance_level")).isEqualTo("L2");
    assertThat(made.json().object("metadata"))
        .contains(
            Calls.json("{'team': 'a', 'owner': 'Example Ltd', 'permissions': ['read:data']}"));
    assertThat(service.nobody().get("/api/verify/legacy-agent_1").status()).isEqualTo(200);
    Reply changed =
        admin.post("/api/admin/update", "{\"agent_id\": \"legacy-agent_1\", \"role\": \"lead\"}");
    assertThat(changed.string("role")).isEqualTo("lead");
    assertThat(changed.json().object("metadata")).isEqualTo(made.json().object("metadata"));
    assertThat(admin.get("/api/admin/agents?limit=200").text()).contains("legacy-agent_1");
    assertThat(
            service
                .owner()
                .post("/api/admin/create", "{\"agent_id\": \"x\", \"name\": \"x\"}")
                .status())
        .isEqualTo(403);
  }
}

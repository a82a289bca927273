package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Text that a database or an encoding cannot hold is refused by name or kept unchanged. */
final class OddTextTest {
  private static final String EVALUATION = "/access/v1/evaluation";
  private static final String IN_BODY = "/api/verify/policy/IN_BODY";

  /** At every place where a text may be cut, a pair of surrogates begins in one of two. */
  private static final String LONG = "😀".repeat(150);

  private static final List<String> TEXTS =
      List.of("a\0b", "a\ufffdb", "😀", LONG, "a" + LONG, "\u2028e\u0301");

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void theLogStaysSound(EachStore store) {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    try (TestService service = TestService.start(folder, settings)) {
      Calls owner = service.owner();
      JsonObject message = Questions.message(Questions.hosted(service, 100));
      JsonObject context = message.object("context").orElseThrow();
      for (String text : TEXTS) {
        var value = new JsonString(text);
        boolean refused = text.equals("a\0b");
        ask(refused, owner.post(Questions.MESSAGE, described(value, "agent_id")));
        ask(refused, owner.post(Questions.MESSAGE, described(value, "passport_id")));
        ask(
            refused,
            owner.post(
                Questions.MESSAGE,
                described(new JsonString("x"), "agent_id")
                    .with("context", context.with("agent_id", value))));
        ask(refused, owner.post(EVALUATION, named(new JsonString("worker"), value)));
        ask(refused, owner.post(EVALUATION, named(value, new JsonString("w"))));
        ask(
            false,
            owner.post(Questions.MESSAGE, message.with("context", context.with(text, value))));
        ask(
            false,
            owner.post(
                Questions.MESSAGE, message.with("context", context.with("channel_id", value))));
        ask(false, owner.post(Questions.MESSAGE, message.with("idempotency_key", value)));
        ask(false, owner.post(IN_BODY, message.with("policy", pack("id", value))));
        ask(false, owner.post(IN_BODY, message.with("policy", pack("name", value))));
      }
    }
    CommandRun run = CommandRun.auditVerify(settings);
    assertThat(run.out() + run.err()).startsWith("sound: ");
  }

  private static void ask(boolean refused, Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isLessThan(500);
    assertThat(reply.text().contains("must not hold the character U+0000"))
        .as(reply.toString())
        .isEqualTo(refused);
  }

  /** A question about an agent nobody hosts, which the member names so. */
  private static JsonObject described(JsonString value, String member) {
    return JsonObject.builder()
        .put("passport", Questions.passport("x", 100).without("agent_id").with(member, value))
        .put("context", Questions.message("x").object("context").orElseThrow().without("agent_id"))
        .build();
  }

  private static JsonObject named(JsonString type, JsonString id) {
    return Calls.json(
            "{'action': {'name': 'messaging.send'}, 'resource': {'type': 'channel', 'id': 'team'}}")
        .with(
            "subject",
            JsonObject.builder()
                .put("type", type)
                .put("id", id)
                .put("properties", Questions.passport("x", 100))
                .build());
  }

  private static JsonObject pack(String member, JsonString value) {
    return Calls.json(
            "{'id': 'a.b.v1', 'requires_capabilities': ['messaging.send'], 'evaluation_rules':"
                + " [{'name': 'r', 'deny_code': 'oap.x', 'condition': 'false'}]}")
        .with(member, value);
  }

  /** Half of a pair has no UTF-8 form: the answer would be lost. */
  @Test
  void whatARequestNamesIsShownInTheAnswer() {
    try (TestService service = TestService.start()) {
      for (String text : List.of(LONG, "a" + LONG)) {
        String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);
        for (String path :
            List.of(
                "/api/verify/",
                "/api/passports/",
                "/api/decisions/",
                "/api/presets/",
                "/api/policies/",
                "/api/orgs/",
                "/api/webhooks/",
                "/api/approvals/")) {
          assertThat(service.admin().get(path + encoded).status()).as(path).isBetween(400, 404);
        }
        for (String path : List.of("/api/passports", "/api/issue", "/api/webhooks", "/api/orgs")) {
          Reply reply =
              service
                  .admin()
                  .post(path, JsonObject.builder().put(text, text).put("name", text).build());
          assertThat(reply.status()).as(path + " " + reply).isBetween(400, 422);
        }
        Reply issued =
            service
                .nobody()
                .post(
                    "/api/issue",
                    Calls.json("{'name': 'A', 'email': 'a@example.com', 'capabilities': ['x']}")
                        .with("framework", new JsonString(text)));
        assertThat(issued.status()).as(Json.text(issued.json())).isBetween(400, 422);
      }
    }
  }
}

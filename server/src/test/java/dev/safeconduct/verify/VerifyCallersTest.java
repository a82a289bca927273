package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who asks makes a difference: setup keys, which speak for one passport, and nobody at all. */
final class VerifyCallersTest {
  @AutoClose
  private static final TestService service = TestService.start(Map.of("ANONYMOUS_VERIFY", "true"));

  private static final String id = Questions.hosted(service, 3);

  private static final String other = Questions.hosted(service, 3);

  private static Calls setup;

  @BeforeAll
  static void start() {
    Reply key = service.admin().send("POST", "/api/passports/" + id + "/setup-key", "{}");
    assertThat(key.status()).as(key.toString()).isEqualTo(201);
    setup = service.withKey(key.string("key"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'context': {'agent_id': '$ID', 'command': 'git'}}",
        "{'agent_id': '$ID', 'context': {'command': 'git'}}",
        "{'context': {'command': 'git'}}",
        "{'passport': null, 'policy': null, 'context': {'command': 'git'}}",
      })
  void aSetupKeyAsksForItsOwnAgent(String body) {
    Reply reply = setup.post(COMMAND, Calls.json(body.replace("$ID", id)));
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.string("agent_id")).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'context': {'agent_id': '$OTHER', 'command': 'git'}}",
        "{'agent_id': '$OTHER', 'context': {'command': 'git'}}",
        "{'context': {'command': 'git', 'params': {'agent_id': '$OTHER'}}}",
        "{'context': {'agent_id': 'no such agent', 'command': 'git'}}",
      })
  void aSetupKeyKnowsNoOther(String body) {
    long before = Questions.newestRecord(service);
    Reply reply = setup.post(COMMAND, Calls.json(body.replace("$OTHER", other)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(404);
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"passport", "policy"})
  void aSetupKeyBringsNothingOfItsOwn(String member) {
    for (String path : new String[] {COMMAND, "/api/verify/policy/IN_BODY"}) {
      JsonObject body =
          Questions.command(id, "git").with(member, Calls.json("{'id': 'x', 'agent_id': 'y'}"));
      Reply reply = setup.post(path, body);
      assertThat(reply.status()).as(reply.toString()).isEqualTo(403);
      assertThat(reply.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    }
  }

  /** A hosted agent is recorded under its own organization, whoever asks. */
  @Test
  void aRefusedCredentialHasNoTimings() {
    Reply reply =
        service.withKey("sck_wrong").post("/api/verify/policy/web.fetch.v1", "{\"context\": {}}");
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.header("Server-Timing")).isEmpty();
  }

  @Test
  void nobodyMayAskForHostedAgents() {
    Reply reply = service.nobody().post(COMMAND, Questions.command(id, "git"));
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.string("owner_id")).isEqualTo(service.org());
    assertThat(service.owner().get("/api/decisions/" + reply.string("decision_id")).status())
        .isEqualTo(200);
  }

  @Test
  void nobodysPassportsAreRecordedApart() {
    JsonObject question =
        Questions.command("ap_nobody", "git").with("passport", Questions.passport("ap_nobody", 5));
    Reply reply = service.nobody().post(COMMAND, question);
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.string("passport_source")).isEqualTo("request");
    assertThat(reply.string("owner_id")).isNotEqualTo(service.org());
    assertThat(service.owner().get("/api/decisions/" + reply.string("decision_id")).status())
        .isEqualTo(404);
    assertThat(service.admin().get("/api/decisions/" + reply.string("decision_id")).status())
        .isEqualTo(200);
    JsonObject vouching = Questions.command(id, "git").with("passport", Questions.passport(id, 5));
    Questions.status(service, id, "suspended");
    assertThat(Questions.code(service.nobody().post(COMMAND, vouching)))
        .isEqualTo("oap.passport_suspended");
    Questions.status(service, id, "active");
  }

  /** Neither what was checked nor what was answered before is for strangers. */
  @Test
  void nobodyGetsNoTraceAndNoReplay() {
    JsonObject question = Questions.message(other);
    Calls keyed = service.nobody().with("Idempotency-Key", "anonymous");
    Reply first = keyed.post(MESSAGE + "?explain=true", question);
    assertThat(Questions.code(first)).isEqualTo("oap.allowed");
    assertThat(first.json().has("trace")).isFalse();
    Reply second = keyed.post(MESSAGE, question);
    assertThat(second.header("Idempotent-Replayed")).isEmpty();
    assertThat(second.string("decision_id")).isNotEqualTo(first.string("decision_id"));
  }

  @Test
  void aWrongKeyIsNotNobody() {
    assertThat(service.withKey("sck_wrong").post(COMMAND, Questions.command(id, "git")).status())
        .isEqualTo(401);
    Reply both =
        service
            .owner()
            .with("Authorization", "Bearer " + TestService.ADMIN_TOKEN)
            .post(COMMAND, Questions.command(id, "git"));
    assertThat(both.status()).isEqualTo(401);
  }
}

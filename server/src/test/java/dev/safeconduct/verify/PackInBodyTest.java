package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** V6: a whole pack comes with the request. */
final class PackInBodyTest {
  private static final String IN_BODY = "/api/verify/policy/IN_BODY";

  @AutoClose private static final TestService service = TestService.start();

  private static final String id = Questions.hosted(service, 50);

  private static JsonObject question(String pack) {
    return Questions.command(id, "git status").with("policy", Calls.json(pack));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'id': 'custom.test.v1', 'requires_capabilities': ['system.command.execute']}"
            + " | custom.test.v1 | oap.allowed",
        "{'policy_id': 'shield.system.command.execute.v1', 'requires_capabilities':"
            + " ['system.command.execute']} | shield.system.command.execute.v1 | oap.allowed",
        "{'id': 'custom.test.v1', 'requires_capabilities': ['x']}"
            + " | custom.test.v1 | oap.unknown_capability",
        "{'id': 'custom.test.v1', 'requires_capabilities': ['system.command.execute'],"
            + " 'min_assurance': 'L3'} | custom.test.v1 | oap.assurance_insufficient",
        "{'id': 'custom.test.v1', 'requires_capabilities': ['system.command.execute'],"
            + " 'required_context': {'type': 'object', 'required': ['place'], 'properties':"
            + " {'place': {'type': 'string'}}}} | custom.test.v1 | oap.invalid_context",
      })
  void judgesByIt(String pack, String policyId, String code) {
    Reply reply = service.owner().post(IN_BODY, question(pack));
    assertThat(Questions.code(reply)).as(reply.toString()).isEqualTo(code);
    JsonObject signed = reply.json().object("decision").orElseThrow();
    assertThat(signed.string("policy_source")).contains("request");
    assertThat(signed.string("policy_id")).contains(policyId);
    assertThat(signed.string("passport_source")).contains("registry");
    assertThat(signed.string("policy_digest")).contains(CanonicalJson.digest(Calls.json(pack)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'id': 'a.v1', 'requires_capabilities': ['system.command.execute'],"
            + " 'evaluation_rules': [{'name': 'r', 'deny_code': 'oap.x', 'condition': 'a ||'}]}",
        "{'id': 'a.v1', 'requires_capabilities': ['system.command.execute'],"
            + " 'evaluation_rules': [5]}",
        "{'id': 'a.v1', 'requires_capabilities': ['system.command.execute'],"
            + " 'required_context': {'properties': {'a': {'pattern': '('}}}}",
        "{'id': 'a.v1', 'requires_capabilities': ['system.command.execute'],"
            + " 'required_context': {'$ref': 'http://127.0.0.1:1/x'}}",
        "{'id': 'a.v1'}",
        "{'id': 'a.v1', 'requires_capabilities': 'system.command.execute'}",
      })
  void deniesByOneThatDoesNotCompile(String pack) {
    Reply reply = service.owner().post(IN_BODY + "?explain=true", question(pack));
    assertThat(Questions.code(reply)).as(reply.toString()).isEqualTo("oap.policy_error");
    assertThat(reply.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    assertThat(reply.json().array("trace").orElseThrow().toString()).hasSizeGreaterThan(20);
    assertThat(service.owner().get("/api/decisions/" + reply.string("decision_id")).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"null", "5", "[]", "'x'", "{}", "{'id': 5}", "{'id': ''}", "{'id': 'a b'}"})
  void refusesWhatIsNoPack(String pack) {
    long before = Questions.newestRecord(service);
    JsonObject body =
        Calls.json(
            "{'context': {'agent_id': '" + id + "', 'command': 'ls'}, 'policy': " + pack + "}");
    Reply reply = service.owner().post(IN_BODY, body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).startsWith("policy");
    assertThat(service.owner().post(IN_BODY, body.without("policy")).status()).isEqualTo(400);
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  /** A pack of a hosted one's name counts for itself. */
  @Test
  void keepsItsStateApart() {
    String agent = Questions.hosted(service, 1);
    JsonObject pack = service.nobody().get("/api/policies/messaging.message.send.v1").json();
    JsonObject withPack = Questions.message(agent).with("policy", pack);
    assertThat(Questions.code(service.owner().post(IN_BODY, withPack))).isEqualTo("oap.allowed");
    assertThat(Questions.code(service.owner().post(IN_BODY, withPack)))
        .isEqualTo("oap.rate_limit_exceeded");
    Reply hosted = service.owner().post(Questions.MESSAGE, Questions.message(agent));
    assertThat(Questions.code(hosted)).isEqualTo("oap.allowed");
    assertThat(hosted.string("policy_source")).isEqualTo("registry");
  }

  /** Beside a hosted pack's name in the path, a pack in the body is nothing. */
  @Test
  void countsOnlyUnderItsOwnAddress() {
    JsonObject body =
        question("{'id': 'system.command.execute.v1', 'requires_capabilities': ['x']}");
    Reply reply = service.owner().post(Questions.COMMAND, body);
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.string("policy_source")).isEqualTo("registry");
  }
}

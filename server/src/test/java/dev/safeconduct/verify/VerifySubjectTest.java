package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passports sent along, and hosted agents that try to pass for one. */
final class VerifySubjectTest {
  @AutoClose private static final TestService service = TestService.start();

  private static JsonObject body(String text) {
    return Calls.json(
        text.replace(
            "$PASSPORT_OF",
            "{'status': 'active', 'assurance_level': 'L0',"
                + " 'capabilities': ['system.command.execute'],"
                + " 'limits': {'system.command.execute': {'allowed_commands': ['*']}}, 'agent_id'"));
  }

  private static String uuid(String agentId) {
    return agentId
        .substring(3)
        .replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5")
        .toUpperCase(java.util.Locale.ROOT);
  }

  /** V5, V5o, V5c: passports nobody hosts. */
  @ParameterizedTest
  @ValueSource(strings = {"ap_local", "CDE60F4E-0000-4000-8000-00000000000A", "My agent ✈"})
  void judgesAPassportSentAlong(String agentId) {
    JsonObject passport =
        body("{'p': $PASSPORT_OF: '"
                + agentId
                + "', 'owner_id': 'org_mine',"
                + " 'extra': {'deep': [1.50, null]}}}")
            .object("p")
            .orElseThrow();
    JsonObject question = body("{'context': {'command': 'ls'}}").with("passport", passport);
    Reply reply = service.owner().post(COMMAND, question);
    assertThat(Questions.code(reply)).as(reply.toString()).isEqualTo("oap.allowed");
    assertThat(reply.string("passport_source")).isEqualTo("request");
    assertThat(reply.string("owner_id")).isEqualTo(service.org());
    Reply byPassportId =
        service
            .owner()
            .post(
                COMMAND,
                question.with(
                    "passport",
                    passport
                        .without("agent_id")
                        .with("passport_id", new JsonString(UUID.randomUUID().toString()))));
    assertThat(Questions.code(byPassportId)).isEqualTo("oap.allowed");
    assertThat(service.admin().get("/api/passports?q=local").text()).doesNotContain("ap_local");
  }

  /** Written with its UUID or with its id, a passport sent along is one agent with one state. */
  @Test
  void foldsTheFormsOfASentAgentsId() {
    String agent = Questions.freshAgent();
    JsonObject passport = Questions.passport(agent, 1);
    JsonObject question = Questions.message(agent).with("passport", passport);
    assertThat(Questions.code(service.owner().post(Questions.MESSAGE, question)))
        .isEqualTo("oap.allowed");
    JsonObject inUuidForm =
        Questions.message(uuid(agent)).with("passport", Questions.passport(uuid(agent), 1));
    assertThat(Questions.code(service.owner().post(Questions.MESSAGE, inUuidForm)))
        .isEqualTo("oap.rate_limit_exceeded");
  }

  @Test
  void aSuspendedAgentCannotVouchForItself() {
    String suspended = Questions.hosted(service, 5);
    Questions.status(service, suspended, "suspended");
    JsonObject passport = Questions.passport(suspended, 5);
    JsonObject question = Questions.command(suspended, "git status").with("passport", passport);
    for (JsonObject body :
        List.of(
            question,
            question.with("passport", Questions.passport(uuid(suspended), 5)),
            question.with("passport", passport.without("agent_id")))) {
      Reply reply = service.owner().post(COMMAND, body);
      assertThat(Questions.code(reply)).isEqualTo("oap.passport_suspended");
    }
  }

  /** One that was brought over answers to its UUID as well. */
  @Test
  void findsABroughtOverAgentByItsUuid() {
    String uuid = UUID.randomUUID().toString();
    JsonObject passport =
        Questions.passport("legacy-" + uuid, 5).with("passport_id", new JsonString(uuid));
    String agent = Questions.hosted(service, service.org(), passport);
    Questions.status(service, agent, "suspended");
    JsonObject own = passport.without("agent_id");
    Reply vouched =
        service
            .owner()
            .post(COMMAND, body("{'context': {'command': 'git'}}").with("passport", own));
    assertThat(Questions.code(vouched)).isEqualTo("oap.passport_suspended");
    Reply named = service.owner().post(COMMAND, Questions.command(uuid, "git"));
    assertThat(named.string("agent_id")).isEqualTo(agent);
  }
}

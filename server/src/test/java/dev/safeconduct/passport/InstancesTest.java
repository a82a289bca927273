package dev.safeconduct.passport;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** An instance may do what its template may, or less, and spends what its template has. */
final class InstancesTest {
  private static final Map<String, String> DATABASE = EachStore.POSTGRES.settings();
  @AutoClose private static final TestService one = TestService.start(DATABASE);
  @AutoClose private static final TestService two = TestService.start(DATABASE);

  @Test
  void isSuspendedWithItsTemplateOnEveryNode() {
    String template = Questions.hosted(one, 10_000);
    String instance = made(template, "{}").string("agent_id");
    String below = made(instance, "{}").string("agent_id");
    for (String agent : List.of(instance, below)) {
      for (String which : List.of(template, instance)) {
        assertThat(ask(two, COMMAND, agent)).isEqualTo("oap.allowed");
        Questions.status(one, which, "suspended");
        assertThat(ask(two, COMMAND, agent)).isEqualTo("oap.passport_suspended");
        assertThat(ask(one, MESSAGE, agent)).isEqualTo("oap.passport_suspended");
        Questions.status(two, which, "active");
        assertThat(ask(one, COMMAND, agent)).isEqualTo("oap.allowed");
      }
    }
    JsonObject read = one.owner().get("/api/passports/" + below).json();
    assertThat(read.string("template_id")).contains(template);
    assertThat(read.string("parent_agent_id")).contains(instance);
  }

  /** Sixty-four callers on two nodes, as three instances: together they get what there is. */
  @Test
  void spendsTheTemplatesBudgetExactly() {
    List<TestService> nodes = List.of(one, two);
    for (int cap : new int[] {1, 25}) {
      String template = Questions.hosted(one, cap);
      List<String> agents =
          List.of(
              made(template, "{}").string("agent_id"),
              made(template, "{'limits': {'messaging.send': {'msgs_per_day': 1}}}")
                  .string("agent_id"),
              template);
      List<String> codes = AtOnce.run(64, i -> ask(nodes.get(i % 2), MESSAGE, agents.get(i % 3)));
      assertThat(codes).containsOnly("oap.allowed", "oap.rate_limit_exceeded");
      assertThat(codes.stream().filter("oap.allowed"::equals).count()).isEqualTo(cap);
      assertThat(ask(one, MESSAGE, template)).isEqualTo("oap.rate_limit_exceeded");
    }
  }

  @Test
  void itsOwnCapBindsBeforeItsTemplates() {
    String template = Questions.hosted(one, 3);
    String instance =
        made(template, "{'limits': {'messaging.send': {'msgs_per_day': 2}}}").string("agent_id");
    assertThat(ask(one, MESSAGE, instance)).isEqualTo("oap.allowed");
    assertThat(ask(two, MESSAGE, instance)).isEqualTo("oap.allowed");
    assertThat(ask(one, MESSAGE, instance)).isEqualTo("oap.rate_limit_exceeded");
    assertThat(ask(two, MESSAGE, template)).isEqualTo("oap.allowed");
    assertThat(ask(two, MESSAGE, template)).isEqualTo("oap.rate_limit_exceeded");
  }

  /** What is narrowed above is narrowed below, at once, and the answer says by whom. */
  @Test
  void staysWithinATemplateThatIsNarrowedLater() {
    String template = Questions.hosted(one, 50);
    String instance = made(template, "{}").string("agent_id");
    assertThat(ask(two, COMMAND, instance)).isEqualTo("oap.allowed");
    Reply narrowed =
        one.owner()
            .patch(
                "/api/passports/" + template,
                "{\"limits\": {\"system.command.execute\": {\"allowed_commands\": [\"git\"]}}}");
    assertThat(narrowed.status()).as(narrowed.toString()).isEqualTo(200);
    Reply denied =
        two.withKey(one.key()).post(COMMAND + "?explain=true", Questions.command(instance, "ls"));
    assertThat(Questions.code(denied)).isEqualTo("oap.command_not_allowed");
    assertThat(denied.string("reason")).contains("template").contains(template);
    List<String> checks =
        denied.json().array("trace").orElseThrow().elements().stream()
            .map(check -> ((JsonObject) check).string("check").orElseThrow())
            .toList();
    assertThat(checks)
        .contains("command_allowlist", "template " + template + ": command_allowlist");
  }

  @Test
  void aReleaseGivesTheTemplatesBudgetBackToo() {
    String template = Questions.hosted(one, 1);
    String instance = made(template, "{}").string("agent_id");
    String id =
        one.owner()
            .post(MESSAGE + "?reserve=true", Questions.message(instance))
            .string("reservation_id");
    assertThat(ask(two, MESSAGE, template)).isEqualTo("oap.rate_limit_exceeded");
    assertThat(two.withKey(one.key()).send("POST", "/api/usage/" + id + "/release", "").status())
        .isEqualTo(200);
    assertThat(ask(two, MESSAGE, template)).isEqualTo("oap.allowed");
    assertThat(ask(one, MESSAGE, instance)).isEqualTo("oap.rate_limit_exceeded");
  }

  /** An equal request gets the stored decision only while the template is what it was. */
  @Test
  void aReplayIsJudgedAfreshWhenTheTemplateChanges() {
    String template = Questions.hosted(one, 50);
    String instance = made(template, "{}").string("agent_id");
    Calls keyed = one.owner().with("Idempotency-Key", "once-" + instance);
    JsonObject question = Questions.command(instance, "ls");
    Reply first = keyed.post(COMMAND, question);
    assertThat(keyed.post(COMMAND, question).header("Idempotent-Replayed")).contains("true");
    one.owner()
        .patch(
            "/api/passports/" + template,
            "{\"limits\": {\"system.command.execute\": {\"allowed_commands\": [\"git\"]}}}");
    Reply second = keyed.post(COMMAND, question);
    assertThat(second.header("Idempotent-Replayed")).isEmpty();
    assertThat(Questions.code(second)).isEqualTo("oap.command_not_allowed");
    assertThat(second.string("decision_id")).isNotEqualTo(first.string("decision_id"));
  }

  @Test
  void endsWithItsTemplate() {
    JsonObject ended =
        Questions.passport(Questions.freshAgent(), 50)
            .with("expires_at", new JsonString("2020-01-01T00:00:00Z"));
    String template = Questions.hosted(one, one.org(), ended);
    String instance = made(template, "{'expires_at': '2019-01-01T00:00:00Z'}").string("agent_id");
    assertThat(ask(one, COMMAND, instance)).isEqualTo("oap.passport_expired");
    Reply later =
        one.owner()
            .post(
                "/api/passports/" + template + "/instances",
                Calls.json("{'expires_at': '2030-01-01T00:00:00Z'}"));
    assertThat(later.string("field")).isEqualTo("expires_at");
  }

  @Test
  void chainsHaveAnEnd() {
    String above = Questions.hosted(one, 50);
    for (int i = 0; i < 8; i++) {
      above = made(above, "{}").string("agent_id");
    }
    assertThat(ask(one, COMMAND, above)).isEqualTo("oap.allowed");
    Reply tooLong = one.owner().post("/api/passports/" + above + "/instances", "{}");
    assertThat(tooLong.status()).isEqualTo(409);
  }

  /** Brought over with ids of their own, passports may name each other in a circle. */
  @Test
  void aCircleAllowsNothing() {
    String first = Questions.freshAgent();
    String second = Questions.freshAgent();
    Questions.hosted(one, one.org(), brought(first, second));
    Questions.hosted(one, one.org(), brought(second, first));
    assertThat(ask(one, COMMAND, first)).isEqualTo("oap.passport_suspended");
    assertThat(ask(two, COMMAND, second)).isEqualTo("oap.passport_suspended");
    Questions.Tenant tenant = Questions.Tenant.made(one, "Theirs", "'read'");
    String theirs =
        Questions.hosted(one, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
    Reply foreign =
        one.admin()
            .post("/api/passports?org_id=" + one.org(), brought(Questions.freshAgent(), theirs));
    assertThat(foreign.status()).as(foreign.toString()).isEqualTo(400);
    assertThat(foreign.string("field")).isEqualTo("parent_agent_id");
  }

  @Test
  void isRecordedWithItsTemplate() {
    String template = Questions.hosted(one, 50);
    String instance = made(template, "{}").string("agent_id");
    JsonArray records = Questions.records(one.owner(), "kind=passport_issued&agent_id=" + instance);
    JsonValue id = ((JsonObject) records.get(0)).get("record_id");
    JsonObject body =
        one.owner()
            .get("/api/audit/" + ((JsonString) java.util.Objects.requireNonNull(id)).value())
            .json()
            .object("body")
            .orElseThrow();
    assertThat(body.object("values").flatMap(values -> values.string("parent_agent_id")))
        .isEqualTo(Optional.of(template));
  }

  private static JsonObject brought(String agent, String parent) {
    return Questions.passport(agent, 9)
        .with("kind", new JsonString("instance"))
        .with("parent_agent_id", new JsonString(parent));
  }

  private static Reply made(String template, String ask) {
    Reply reply = one.owner().post("/api/passports/" + template + "/instances", Calls.json(ask));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply;
  }

  private static String ask(TestService node, String path, String agent) {
    JsonObject question =
        path.equals(MESSAGE) ? Questions.message(agent) : Questions.command(agent, "ls");
    return Questions.code(node.withKey(one.key()).post(path, question));
  }
}

package dev.safeconduct.authzen;

import static dev.safeconduct.testkit.Records.EVALUATION;
import static dev.safeconduct.testkit.Records.decision;
import static dev.safeconduct.testkit.Records.question;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Agents that a pack lists as its subjects. */
final class ListedAgentTest {
  private static final MovableClock CLOCK = new MovableClock();

  private static final String ONE_READ_A_DAY =
      """
      "evaluation_rules": [
      {"name": "reads", "deny_code": "oap.rate_limit_exceeded", "message": "One read a day.",
       "counters": [{"name": "reads", "window": "day", "max": "1", "required": true}]},\
      """;

  @AutoClose private static final TestService service = TestService.start(Map.of(), CLOCK);

  @Test
  void anAgentThatThePackListsIsItselfInEverySpelling() {
    var tenant = Questions.Tenant.made(service, "Spellings", "'read'");
    String agent =
        Questions.hosted(
            service,
            tenant.org(),
            Calls.json("{'name': 'Clerk', 'capabilities': [{'id': 'acme.records'}]}"));
    String other = "ap_0123456789abcdef0123456789abcdef";
    String pack =
        Records.pack()
            .replace(
                "\"user\": {",
                "\"agent\": {\"trusted\": true, \"*\": {\"role\": \"admin\"}, \"%s\": {\"role\": \"clerk\"}}, \"user\": {"
                    .formatted(agent))
            .replace("\"readers\": [", "\"readers\": [\"" + other + "\", ");
    Records.publish(service, tenant.org(), pack);
    Calls calls = service.withKey(tenant.key());
    String digits = agent.substring(3);
    String uuid = digits.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
    for (String id :
        List.of(
            agent,
            uuid,
            uuid.toUpperCase(Locale.ROOT),
            "urn:uuid:" + uuid,
            "{" + uuid + "}",
            "AP_" + digits,
            agent + " ",
            digits)) {
      // The pack's agent is a clerk; only other agents write what is archived.
      JsonObject write =
          question(
              "{'type': 'agent', 'id': '" + id + "', 'properties': {'role': 'admin'}}",
              "{'name': 'write'}",
              "{'type': 'record', 'id': 'record-2'}");
      assertThat(decision(calls.post(EVALUATION, write))).as(id).isFalse();
    }
    // Rules see one spelling of an agent that is not listed, too.
    for (String id : List.of(other, "01234567-89AB-cdef-0123-456789abcdef")) {
      JsonObject read =
          question(
              "{'type': 'agent', 'id': '" + id + "'}",
              "{'name': 'read'}",
              "{'type': 'record', 'id': 'record-2'}");
      Reply allowed = calls.post(EVALUATION, read);
      assertThat(decision(allowed)).as(allowed.toString()).isTrue();
    }
    String twice = pack.replace("\"*\": {", "\"" + uuid + "\": {}, \"*\": {");
    Reply refused = service.admin().post("/api/policies/validate", twice);
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.text()).contains("is the same agent as");
  }

  /** Returns who could ask the question, by a search. */
  private static String found(Calls calls, JsonObject question) {
    Reply reply =
        calls.post(
            "/access/v1/search/subject", question.with("subject", Calls.json("{'type': 'agent'}")));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.text();
  }

  /** Nobody's list makes a suspended agent act again. */
  @Test
  void aListedAgentActsNoLongerThanItsPassport() {
    var tenant = Questions.Tenant.made(service, "Listed", "'read'");
    String template =
        Questions.hosted(
            service,
            tenant.org(),
            Calls.json(
                "{'name': 'Base', 'capabilities': [{'id': 'acme.records'}], 'expires_at': '%s'}"
                    .formatted(CLOCK.instant().plusSeconds(60))));
    String agent =
        service
            .admin()
            .post(
                "/api/passports/" + template + "/instances",
                "{'tenant_ref': 'one', 'platform_id': 'p'}".replace('\'', '"'))
            .string("agent_id");
    Records.publish(
        service,
        tenant.org(),
        Records.pack()
            .replace("\"user\": {", "\"agent\": {\"%s\": {}}, \"user\": {".formatted(agent))
            .replace("\"readers\": [", "\"readers\": [\"%s\", ".formatted(agent)));
    Calls calls = service.withKey(tenant.key());
    JsonObject read =
        question(
            "{'type': 'agent', 'id': '" + agent + "'}",
            "{'name': 'read'}",
            "{'type': 'record', 'id': 'record-1'}");
    assertThat(decision(calls.post(EVALUATION, read))).isTrue();
    assertThat(found(calls, read)).containsOnlyOnce(agent);
    for (String suspended : List.of(agent, template)) {
      Questions.status(service, suspended, "suspended");
      Reply refused = calls.post(EVALUATION, read);
      assertThat(decision(refused)).isFalse();
      assertThat(refused.text()).contains("oap.passport_suspended");
      assertThat(found(calls, read)).doesNotContain(agent);
      Questions.status(service, suspended, "active");
      assertThat(decision(calls.post(EVALUATION, read))).isTrue();
    }
    CLOCK.advance(Duration.ofSeconds(61));
    assertThat(calls.post(EVALUATION, read).text()).contains("oap.passport_expired");
  }

  @Test
  void allSpellingsOfAListedAgentShareItsCounters() {
    var tenant = Questions.Tenant.made(service, "Counters", "'read'");
    String uuid = "01234567-89ab-cdef-0123-456789abcdef";
    String agent = "ap_" + uuid.replace("-", "");
    String pack =
        Records.pack()
            .replace(
                "\"user\": {",
                "\"agent\": {\"%s\": {}, \"clerk\": {}}, \"user\": {".formatted(agent))
            .replace("\"readers\": [", "\"readers\": [\"clerk\", \"%s\", ".formatted(agent))
            .replace("\"evaluation_rules\": [", ONE_READ_A_DAY);
    Records.publish(service, tenant.org(), pack);
    Calls calls = service.withKey(tenant.key());
    for (List<String> spellings :
        List.of(
            List.of("urn:uuid:" + uuid, agent, "{" + uuid + "}", agent.replace('_', '-')),
            List.of("clerk", "Clerk" + "\u200b".repeat(128)))) {
      for (String id : spellings) {
        JsonObject read =
            question(
                "{'type': 'agent', 'id': '" + id + "'}",
                "{'name': 'read'}",
                "{'type': 'record', 'id': 'record-1'}");
        Reply reply = calls.post(EVALUATION, read);
        assertThat(decision(reply)).as(id + " " + reply).isEqualTo(id.equals(spellings.getFirst()));
      }
    }
  }

  @Test
  void subjectsOfDifferentTypesHaveTheirOwnCounters() {
    var tenant = Questions.Tenant.made(service, "Colons", "'read'");
    Records.publish(
        service,
        tenant.org(),
        Records.pack()
            .replace("\"user\": {", "\"a\": {\"*\": {}}, \"a:b\": {\"*\": {}}, \"user\": {")
            .replace("\"readers\": [", "\"readers\": [\"b:c\", \"c\", ")
            .replace("\"evaluation_rules\": [", ONE_READ_A_DAY));
    Calls calls = service.withKey(tenant.key());
    for (boolean first : List.of(true, false)) {
      for (String subject : List.of("{'type': 'a', 'id': 'b:c'}", "{'type': 'a:b', 'id': 'c'}")) {
        JsonObject read =
            question(subject, "{'name': 'read'}", "{'type': 'record', 'id': 'record-1'}");
        assertThat(decision(calls.post(EVALUATION, read))).as(subject).isEqualTo(first);
      }
    }
  }
}

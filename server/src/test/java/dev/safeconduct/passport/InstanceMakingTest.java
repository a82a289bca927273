package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an instance of a template takes over, and what it may not widen. */
final class InstanceMakingTest {
  @AutoClose private static final TestService one = TestService.start();

  @Test
  void takesOverWhatItDoesNotNarrow() {
    String template = Questions.hosted(one, 50);
    JsonObject above = one.owner().get("/api/passports/" + template).json();
    Reply made =
        made(template, "{'name': 'Shop 17', 'limits': {'messaging.send': {'msgs_per_day': 9}}}");
    JsonObject instance = made.json().without("data");
    String agent = made.string("agent_id");
    assertThat(made.header("Location")).contains("/api/passports/" + agent);
    assertThat(agent).matches("ap_[0-9a-f]{32}").isNotEqualTo(template);
    assertThat(one.owner().get("/api/passports/" + agent).json()).isEqualTo(instance);
    assertThat(instance.string("kind")).contains("instance");
    assertThat(instance.string("template_id")).contains(template);
    assertThat(instance.string("parent_agent_id")).contains(template);
    assertThat(instance.string("name")).contains("Shop 17");
    assertThat(instance.string("slug")).contains("shop-17");
    assertThat(instance.string("version")).contains("1.0.0");
    for (String name :
        List.of("capabilities", "regions", "assurance_level", "owner_id", "mcp", "claimed")) {
      assertThat(instance.get(name)).as(name).isEqualTo(above.get(name));
    }
    assertThat(instance.object("limits").orElseThrow().object("messaging.send"))
        .contains(
            Calls.json("{'msgs_per_min': 50, 'msgs_per_day': 9, 'channels_allowlist': ['team']}"));
    assertThat(instance.object("limits").orElseThrow().get("system.command.execute"))
        .isEqualTo(above.object("limits").orElseThrow().get("system.command.execute"));
    Reply plain = one.owner().send("POST", "/api/passports/" + template + "/instances", "");
    assertThat(plain.status()).as(plain.toString()).isEqualTo(201);
    assertThat(plain.string("name")).isEqualTo(above.string("name").orElseThrow());
  }

  @Test
  void takesTheFormOtherClientsSend() {
    String template = Questions.hosted(one, 50);
    Reply made =
        made(
            template,
            """
            {'platform_id': 'rooms', 'tenant_ref': 'b1', 'controller_id': 'b1',
             'controller_type': 'user',
             'overrides': {'limits': {}, 'regions': ['US-TX'], 'status': 'draft'},
             'agent_data': {'name': 'App', 'description': 'An app.'}}
            """);
    assertThat(made.string("name")).isEqualTo("App");
    assertThat(made.string("status")).isEqualTo("draft");
    assertThat(made.json().array("regions").orElseThrow().texts()).containsExactly("US-TX");
    assertThat(made.json().object("metadata").orElseThrow().string("tenant_ref")).contains("b1");
    Reply twice =
        one.owner()
            .post(
                "/api/passports/" + template + "/instances",
                Calls.json("{'name': 'A', 'agent_data': {'name': 'B'}}"));
    assertThat(twice.status()).isEqualTo(400);
    assertThat(twice.string("field")).isEqualTo("agent_data.name");
  }

  @Test
  void refusesWhatWouldBeWider() {
    String template = Questions.hosted(one, 50);
    Map<String, String> asks =
        Map.of(
            "{'limits': {'messaging.send': {'msgs_per_day': 51}}}",
            "limits.messaging.send.msgs_per_day",
            "{'capabilities': ['web.fetch']}",
            "capabilities[0].id",
            "{'regions': ['US', 'DE']}",
            "regions[1]",
            "{'mcp': {'servers': ['https://a.example']}}",
            "mcp.servers[0]",
            "{'kind': 'template'}",
            "kind",
            "{'parent_agent_id': 'ap_other'}",
            "parent_agent_id",
            "{'owner_id': 'org_other'}",
            "owner_id",
            "{'limits': {'messaging.send': {'msgs_per_dya': 1}}}",
            "limits.messaging.send.msgs_per_dya",
            "{'status': 'revoked'}",
            "status");
    asks.forEach((ask, field) -> refused(template, ask, field));
    String instance =
        made(template, "{'limits': {'messaging.send': {'msgs_per_day': 5}}}").string("agent_id");
    Reply wider =
        one.owner()
            .patch(
                "/api/passports/" + instance,
                "{\"limits\": {\"messaging.send\": {\"msgs_per_day\": 51}}}");
    assertThat(wider.status()).as(wider.toString()).isEqualTo(400);
    assertThat(wider.string("field")).isEqualTo("limits.messaging.send.msgs_per_day");
    Reply narrower =
        one.owner()
            .patch(
                "/api/passports/" + instance,
                "{\"limits\": {\"messaging.send\": {\"msgs_per_day\": 7}}}");
    assertThat(narrower.status()).as(narrower.toString()).isEqualTo(200);
    assertThat(narrower.json().object("limits").orElseThrow().object("messaging.send"))
        .contains(
            Calls.json("{'msgs_per_min': 50, 'msgs_per_day': 7, 'channels_allowlist': ['team']}"));
    // As it was read, it can be sent back.
    JsonObject read = one.owner().get("/api/passports/" + instance).json();
    Reply same =
        one.owner().put("/api/passports/" + instance, dev.safeconduct.json.Json.text(read));
    assertThat(same.status()).as(same.toString()).isEqualTo(200);
    assertThat(same.json().without("warnings")).isEqualTo(read);
  }

  @Test
  void isNobodyElsesToMake() {
    String template = Questions.hosted(one, 50);
    String path = "/api/passports/" + template + "/instances";
    Questions.Tenant tenant = Questions.Tenant.made(one, "Others", "'issue', 'read'");
    assertThat(one.withKey(tenant.key()).post(path, "{}").status()).isEqualTo(404);
    String setup =
        one.owner()
            .post(
                "/api/passports/" + template + "/setup-key",
                Calls.json("{'name': 'k', 'scopes': ['issue']}"))
            .string("key");
    assertThat(one.withKey(setup).post(path, "{}").status()).isEqualTo(403);
    Questions.status(one, template, "revoked");
    assertThat(one.owner().post(path, "{}").status()).isEqualTo(409);
    assertThat(one.owner().post("/api/passports/ap_nothing/instances", "{}").status())
        .isEqualTo(404);
  }

  private static Reply made(String template, String ask) {
    Reply reply = one.owner().post("/api/passports/" + template + "/instances", Calls.json(ask));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply;
  }

  /** What is not understood would leave the instance as wide as its template. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'overrides': 'limits'}              | overrides",
        "{'overrides': [{'limits': {}}]}      | overrides",
        "{'agent_data': 5}                    | agent_data",
        "{'overrides': {'limit': {}}}         | overrides.limit",
        "{'agent_data': {'capabilites': []}}  | agent_data.capabilites",
        "{'regoins': ['US']}                  | regoins",
        "{'override': {'limits': {}}}         | override",
      })
  void whatWouldNotNarrowIsSaid(String ask, String field) {
    refused(Questions.hosted(one, 50), ask, field);
  }

  private static void refused(String template, String ask, String field) {
    Reply reply = one.owner().post("/api/passports/" + template + "/instances", Calls.json(ask));
    assertThat(reply.status()).as(ask + reply).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo(field);
  }
}

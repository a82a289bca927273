package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import java.util.UUID;

/** Questions to a running service, and passports that allow what they ask for. */
public final class Questions {
  public static final String COMMAND = "/api/verify/policy/system.command.execute.v1";
  public static final String MESSAGE = "/api/verify/policy/messaging.message.send.v1";

  private Questions() {}

  public static String freshAgent() {
    return "ap_" + UUID.randomUUID().toString().replace("-", "");
  }

  /** A passport that may run git and ls, and send messages to the channel {@code team}. */
  public static JsonObject passport(String agentId, int messagesADay) {
    return Calls.json(
        """
        {'agent_id': '%s', 'name': 'Tester', 'status': 'active', 'assurance_level': 'L2',
         'capabilities': [{'id': 'system.command.execute'}, {'id': 'messaging.send'}],
         'regions': ['US'],
         'limits': {'system.command.execute': {'allowed_commands': ['git', 'ls']},
           'messaging.send': {'msgs_per_min': %d, 'msgs_per_day': %d,
             'channels_allowlist': ['team']}}}
        """
            .formatted(agentId, messagesADay, messagesADay));
  }

  /** Hosts a passport for an organization; the answer is its id. */
  public static String hosted(TestService service, String org, JsonObject passport) {
    Reply reply = service.admin().post("/api/passports?org_id=" + org, passport);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply.string("agent_id");
  }

  /** Hosts {@link #passport} for the first organization. */
  public static String hosted(TestService service, int messagesADay) {
    return hosted(service, service.org(), passport(freshAgent(), messagesADay));
  }

  /** Issues a passport as the owner of the first organization; the answer is its agent. */
  public static String issued(TestService service, JsonObject passport) {
    Reply made = service.owner().post("/api/passports", passport);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return made.string("agent_id");
  }

  public static void assure(TestService service, String agentId, String level) {
    JsonObject body =
        Calls.json(
            "{'agent_id': '%s', 'assurance_level': '%s', 'method': 'test'}"
                .formatted(agentId, level));
    Reply reply = service.admin().post("/api/admin/assurance", body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  public static void status(TestService service, String agentId, String status) {
    JsonObject body = JsonObject.builder().put("agent_id", agentId).put("status", status).build();
    Reply reply = service.admin().post("/api/admin/status", body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  /** {@code {"context": {"agent_id": …, "command": …}}}. */
  public static JsonObject command(String agentId, String command) {
    return JsonObject.builder()
        .put(
            "context",
            JsonObject.builder().put("agent_id", agentId).put("command", command).build())
        .build();
  }

  public static JsonObject message(String agentId) {
    return Calls.json(
        "{'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'Done.',"
                .formatted(agentId)
            + " 'message_type': 'text'}}");
  }

  /** A new organization and a key for it. */
  public record Tenant(String org, String key) {
    public static Tenant made(TestService service, String name, String scopes) {
      Reply made = service.admin().post("/api/orgs", Calls.json("{'name': '" + name + "'}"));
      assertThat(made.status()).as(made.toString()).isEqualTo(201);
      String org = made.string("org_id");
      return new Tenant(org, newKey(service, org, "{'name': 'k', 'scopes': [" + scopes + "]}"));
    }
  }

  public static String newKey(TestService service, String org, String body) {
    Reply key = service.admin().post("/api/orgs/" + org + "/keys", Calls.json(body));
    assertThat(key.status()).as(key.toString()).isEqualTo(201);
    return key.string("key");
  }

  /** The place of the newest record of all organizations. */
  public static long newestRecord(TestService service) {
    return number(((JsonObject) records(service.admin(), "limit=1").get(0)), "log_index");
  }

  public static JsonArray records(Calls calls, String query) {
    Reply reply = calls.get("/api/audit?" + query);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json().array("records").orElseThrow();
  }

  public static long number(JsonObject object, String member) {
    if (object.get(member) instanceof JsonNumber number) {
      return (long) number.value();
    }
    throw new AssertionError("no number " + member + " in " + object);
  }

  /** The code of the first reason. */
  public static String code(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return code(reply.json());
  }

  public static String code(JsonObject decision) {
    JsonArray reasons = decision.array("reasons").orElseThrow();
    return ((JsonObject) reasons.get(0)).string("code").orElseThrow();
  }

  /** What the service says of the decision token: {@code valid}, or why not. */
  public static String verdict(TestService service, String token) {
    JsonObject body = JsonObject.builder().put("token", token).build();
    Reply reply = service.nobody().post("/api/verify/token/validate", body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().isTrue("valid")).isEqualTo(reply.string("reason").equals("valid"));
    return reply.string("reason");
  }
}

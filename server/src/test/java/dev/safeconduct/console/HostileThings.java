package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes one of everything that a service keeps, with hostile text wherever somebody may write. */
final class HostileThings {
  /** At most 100 characters, so that it is a name too. */
  static final String EVIL =
      "<img class=evil src=x onerror=alert(1)>\"'><script class=evil>alert(2)</script>"
          + "\ud83d\udc80\u05e9\u05dc\u05d5\u05dd";

  private static final String SHORT = "<img class=evil src=x onerror=alert(1)>";

  /** Turns what follows it around; names and the like may not hold it. */
  static final String BACKWARDS = "\u202egnp.exe";

  private static final String LONG = EVIL + BACKWARDS + "x".repeat(9_000);

  private final TestService service;
  private final Calls key;
  private final Map<String, String> pages = new LinkedHashMap<>();

  HostileThings(TestService service) {
    this.service = service;
    this.key = service.owner();
  }

  /** Makes them all; the answer is the pages that show them, by what they show. */
  Map<String, String> make() {
    passports();
    approvals();
    policies();
    others();
    return pages;
  }

  private static Reply ok(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isBetween(200, 201);
    return reply;
  }

  private static JsonString text(String text) {
    return new JsonString(text);
  }

  private static JsonObject object(String... members) {
    JsonObject.Builder object = JsonObject.builder();
    for (int i = 0; i < members.length; i += 2) {
      object.put(members[i], members[i + 1]);
    }
    return object.build();
  }

  private void passports() {
    JsonObject full =
        Calls.json(
                "{'capabilities': [{'id': 'system.command.execute'}, {'id': 'messaging.send'}],"
                    + " 'status': 'active'}")
            .with("name", text(EVIL))
            .with("description", text(EVIL + "n".repeat(800)))
            .with("role", text(EVIL))
            .with("contact", text(EVIL))
            .with("framework", JsonArray.of(text(SHORT)))
            .with("categories", JsonArray.of(text(SHORT)))
            .with("metadata", object(EVIL, EVIL))
            .with("mcp", JsonObject.builder().put("tools", JsonArray.of(text(EVIL))).build())
            .with(
                "limits",
                JsonObject.builder()
                    .put(
                        "system.command.execute",
                        JsonObject.builder()
                            .put("allowed_commands", JsonArray.of(text("git"), text(EVIL)))
                            .build())
                    .build());
    String agent = ok(key.post("/api/passports", full)).string("agent_id");
    pages.put("passport", "console/passports/" + agent);
    pages.put("passport, to suspend", "console/passports/" + agent + "?do=suspended");
    pages.put("passport, to edit", "console/passports/" + agent + "/edit");
    pages.put("played with", "console/playground?agent_id=" + agent);
    ok(key.post("/api/passports", object("name", "<b>" + "n".repeat(97))));
    String instance =
        ok(key.post("/api/passports/" + agent + "/instances", object("name", EVIL)))
            .string("agent_id");
    pages.put("instance", "console/passports/" + instance);
    Reply denied =
        key.with("X-Request-Id", "<img class=evil src=x>")
            .with("User-Agent", "<img class=evil src=x>")
            .post(ConsoleRig.COMMANDS, context(agent, "command", LONG, EVIL, EVIL));
    pages.put("decision", "console/decisions/" + ok(denied).string("decision_id"));
    String allowed =
        ok(key.post(ConsoleRig.COMMANDS, context(agent, "command", "git " + EVIL)))
            .string("decision_id");
    pages.put("other decision", "console/decisions/" + allowed);
    String unknown =
        ok(key.post(
                ConsoleRig.COMMANDS,
                JsonObject.builder()
                    .put(
                        "passport",
                        Calls.json(
                                "{'status': 'active', 'capabilities':"
                                    + " [{'id': 'system.command.execute'}]}")
                            .with("agent_id", text(EVIL + BACKWARDS)))
                    .put("context", object("command", "ls"))
                    .build()))
            .string("decision_id");
    pages.put("decision of nobody", "console/decisions/" + unknown);
    ok(
        key.put(
            "/api/passports/" + agent + "/status",
            object("status", "suspended", "reason", EVIL).toString()));
    ok(service.admin().delete("/api/audit/" + allowed + "?reason=" + Formats.url(EVIL)));
  }

  private static JsonObject context(String agent, String... members) {
    return JsonObject.builder()
        .put("context", object(members).with("agent_id", text(agent)))
        .build();
  }

  private void approvals() {
    String agent =
        ok(key.post(
                "/api/passports",
                Calls.json(
                        """
                        {'capabilities': [{'id': 'messaging.send'}],
                         'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                           'approval_required': true}}}
                        """)
                    .with("name", text(EVIL))))
            .string("agent_id");
    Calls person = service.signedIn(TestService.OPERATOR);
    for (String message : List.of(EVIL + BACKWARDS, EVIL + "x".repeat(900))) {
      Reply denied =
          ok(
              key.post(
                  "/api/verify/policy/messaging.message.send.v1",
                  context(
                      agent, "channel_id", "team", "message", message, "message_type", "text")));
      assertThat(denied.json().object("approval")).as(denied.toString()).isPresent();
      String id =
          denied.json().object("approval").flatMap(a -> a.string("approval_id")).orElseThrow();
      pages.put("approval " + message.length(), "console/approvals/" + id);
      if (!message.contains(BACKWARDS)) {
        ok(person.post("/api/approvals/" + id + "/refuse", object("comment", EVIL)));
      }
    }
  }

  /** A pack of the organization's whose every text is hostile, and another version on trial. */
  private void policies() {
    String own = "/api/orgs/" + service.org() + "/policies";
    JsonObject pack = service.owner().get("/api/policies/system.command.execute.v1").json();
    JsonObject evil = evil(pack).without("policy_id").with("id", text("evil.command.v1"));
    ok(key(own).post(own, evil));
    ok(key(own).post(own + "/evil.command.v1/activate", JsonObject.EMPTY));
    ok(
        key(own)
            .put(
                own + "/evil.command.v1", evil.with("description", text("<b>two</b>")).toString()));
    ok(
        key(own)
            .post(own + "/evil.command.v1/shadow", JsonObject.builder().put("version", 2).build()));
    pages.put("own policy", "console/policies/evil.command.v1");
    pages.put("own policy's decisions", "console/decisions?policy_id=evil.command.v1");
    pages.put("own policy played with", "console/playground?policy_id=evil.command.v1");
    String agent = ConsoleRig.agent(service, "Judged by it");
    String decision =
        ok(key.post("/api/verify/policy/evil.command.v1", context(agent, "command", LONG)))
            .string("decision_id");
    pages.put("decision by it", "console/decisions/" + decision);
  }

  private Calls key(String path) {
    return path.isEmpty() ? key : service.signedIn(TestService.OPERATOR);
  }

  /** The pack with hostile text wherever people write some. */
  private static JsonObject evil(JsonObject object) {
    JsonObject changed = object;
    for (String name : object.names()) {
      JsonValue value = object.get(name);
      if (List.of("name", "description", "message", "title").contains(name)
          && value instanceof JsonString
          && !object.has("deny_code")) {
        changed = changed.with(name, text(EVIL));
      } else if (List.of("description", "message").contains(name) && value instanceof JsonString) {
        changed = changed.with(name, text(EVIL));
      } else if (value instanceof JsonObject inner) {
        changed = changed.with(name, evil(inner));
      } else if (value instanceof JsonArray list) {
        changed = changed.with(name, evil(list));
      }
    }
    return changed;
  }

  private static JsonArray evil(JsonArray list) {
    var elements = new ArrayList<JsonValue>();
    for (JsonValue each : list) {
      elements.add(each instanceof JsonObject object ? evil(object) : each);
    }
    return new JsonArray(elements);
  }

  private void others() {
    ok(
        key.post(
            "/api/orgs/" + service.org() + "/keys",
            object("name", EVIL).with("scopes", JsonArray.of(text("read")))));
    ok(service.admin().post("/api/orgs", object("name", EVIL)));
    ok(
        service
            .admin()
            .post(
                "/api/orgs/" + service.org() + "/members",
                object("email", "o'neil+a&b=c#1@example.com", "role", "member")));
    String url = "http://127.0.0.1:9/%3Cimg%20class=evil%3E/'onerror=alert(1)//" + "w".repeat(900);
    String hook =
        ok(key.post("/api/webhooks", object("url", url)))
            .json()
            .object("webhook")
            .flatMap(made -> made.string("webhook_id"))
            .orElseThrow();
    String agent = ConsoleRig.agent(service, EVIL);
    ok(
        key.put(
            "/api/passports/" + agent + "/status",
            object("status", "suspended", "reason", EVIL).toString()));
    pages.put("webhook", "console/webhooks/" + hook);
  }
}

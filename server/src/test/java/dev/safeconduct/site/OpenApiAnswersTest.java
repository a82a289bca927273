package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.OpenApi;
import dev.safeconduct.testkit.OpenApi.Operation;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestProvider;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TestWitness;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Real answers of the running service are as the contract declares them. The calls stand in {@code
 * openapi-calls.json} and are made in its order.
 */
final class OpenApiAnswersTest {
  private static final OpenApi API = OpenApi.published();
  private static final Map<String, Operation> OPERATIONS = new LinkedHashMap<>();
  private static final Map<String, String> NAMES = new LinkedHashMap<>();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static Calls person;

  @AutoClose private static final TestProvider provider = new TestProvider();

  @BeforeAll
  static void start() {
    API.operations().forEach(operation -> OPERATIONS.put(operation.id(), operation));
    var witness = new TestWitness("witness.example");
    service =
        TestService.start(
            provider.settings(
                Map.of("AUDIT_WITNESSES", witness.verifierKey(), "MCP_SERVER", "true")));
    NAMES.put("logout_token", provider.signed(provider.notice().subject("nobody").build()));
    NAMES.put(
        "cosigned",
        witness
            .cosigned(service.nobody().get("/api/audit/log/checkpoint").text(), 1_700_000_000L)
            .replace("\n", "\\n"));
    Calls owner = service.owner();
    Reply passport =
        owner.post(
            "/api/passports",
            Calls.json(
                """
                {'name': 'Contract agent', 'slug': 'contract-agent',
                 'capabilities': [{'id': 'messaging.send'}],
                 'limits': {'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,
                   'channels_allowlist': ['team']}}}
                """));
    String keys = "/api/orgs/" + service.org() + "/keys";
    JsonObject key = Calls.json("{'name': 'Spare', 'scopes': ['read']}");
    NAMES.put("org", service.org());
    NAMES.put("agent", passport.string("agent_id"));
    nameWebhooks(owner);
    NAMES.put("key_id", owner.post(keys, key).string("key_id"));
    NAMES.put("other_key_id", owner.post(keys, key).string("key_id"));
    NAMES.put(
        "signing_key",
        ((JsonObject) service.nobody().get("/jwks.json").json().array("keys").orElseThrow().get(0))
            .string("kid")
            .orElseThrow());
    NAMES.put(
        "operator_token",
        service
            .admin()
            .post("/api/admin/tokens", Calls.json("{'name': 'Spare', 'role': 'operator'}"))
            .string("token_id"));
    NAMES.put(
        "spare_org", service.admin().post("/api/orgs", "{\"name\": \"Spare\"}").string("org_id"));
    NAMES.put("decision", denied(owner));
    NAMES.put("other_decision", denied(owner));
    NAMES.put("reservation", reserved(owner));
    NAMES.put("other_reservation", reserved(owner));
    approvals(owner);
    person = people();
  }

  private static String denied(Calls owner) {
    return owner
        .post(
            "/api/verify/policy/messaging.message.send.v1",
            JsonObject.builder()
                .put("agent_id", Objects.requireNonNull(NAMES.get("agent")))
                .put("context", JsonObject.EMPTY)
                .build())
        .string("decision_id");
  }

  /** An agent whose messages a person approves first, and two that wait. */
  private static void approvals(Calls owner) {
    String gated =
        owner
            .post(
                "/api/passports",
                Calls.json(
                    """
                    {'name': 'Gated', 'capabilities': [{'id': 'messaging.send'}],
                     'limits': {'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,
                       'approval_required': true}}}
                    """))
            .string("agent_id");
    NAMES.put("gated", gated);
    for (String name : List.of("approval", "other_approval")) {
      NAMES.put(
          name,
          owner
              .post(
                  "/api/verify/policy/messaging.message.send.v1",
                  Calls.json(
                      "{'context': {'agent_id': '%s', 'channel_id': 'team', 'message': '%s',"
                              .formatted(gated, name)
                          + " 'message_type': 'text'}}"))
              .json()
              .object("approval")
              .orElseThrow()
              .string("approval_id")
              .orElseThrow());
    }
    NAMES.put(
        "refused_decision",
        String.valueOf(NAMES.get("other_approval"))
            .replaceFirst("apr_(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
  }

  /** The operator, signed in, and a member whose link to set a password has not been used. */
  private static Calls people() {
    Calls operator = service.operator();
    NAMES.put("operator", operator.get("/api/auth/me").string("account_id"));
    String members = "/api/orgs/" + service.org() + "/members";
    NAMES.put(
        "member",
        operator
            .post(members, Calls.json("{'email': 'member@example.com', 'role': 'member'}"))
            .string("account_id"));
    String link = service.letters().link("member@example.com", "/password/");
    Reply page = service.nobody().get(link);
    NAMES.put("password_link", link);
    NAMES.put("password_cookie", Pages.cookies(page));
    NAMES.put("password_csrf", Pages.csrfToken(page));
    service
        .nobody()
        .post(
            "/api/issue",
            Calls.json(
                "{'name': 'Claimed', 'email': 'claimer@example.com', 'framework': ['mcp']}"));
    String claim = service.letters().link("claimer@example.com", "/claim/");
    Reply asked = service.nobody().get(claim);
    NAMES.put("claim_link", claim);
    NAMES.put("claim_cookie", Pages.cookies(asked));
    NAMES.put("claim_csrf", Pages.csrfToken(asked));
    return operator;
  }

  /** A webhook with a dead letter, as nothing is delivered to this machine; and another. */
  private static void nameWebhooks(Calls owner) {
    JsonObject hook =
        Calls.json("{'url': 'http://127.0.0.1:9/hook', 'retry_attempts': 0, 'target': 'org'}");
    String id =
        owner
            .post("/api/webhooks", hook)
            .json()
            .object("webhook")
            .orElseThrow()
            .string("webhook_id")
            .orElseThrow();
    String agent = owner.post("/api/passports", "{\"name\": \"Told of\"}").string("agent_id");
    owner.put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}");
    JsonObject delivery =
        (JsonObject)
            owner
                .get("/api/webhooks/" + id + "/deliveries")
                .json()
                .array("deliveries")
                .orElseThrow()
                .get(0);
    NAMES.put("webhook", id);
    NAMES.put("delivery", delivery.string("delivery_id").orElseThrow());
    NAMES.put(
        "other_webhook",
        owner
            .post(
                "/api/webhooks",
                Calls.json("{'url': 'https://hooks.example.com', 'active': false}"))
            .json()
            .object("webhook")
            .orElseThrow()
            .string("webhook_id")
            .orElseThrow());
  }

  private static String reserved(Calls owner) {
    return owner
        .post(
            "/api/verify/policy/messaging.message.send.v1?reserve=true",
            Calls.json(
                "{'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'Done.',"
                        .formatted(NAMES.get("agent"))
                    + " 'message_type': 'text'}}"))
        .string("reservation_id");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** One call and the status it must be answered with. */
  private record Call(JsonObject json) {
    Operation operation() {
      return Objects.requireNonNull(OPERATIONS.get(text("operation", "")), json.toString());
    }

    int status() {
      return Integer.parseInt(text("status", ""));
    }

    String text(String name, String otherwise) {
      return named(json.string(name).orElse(otherwise));
    }

    Reply send() {
      Calls calls =
          switch (text("as", "owner")) {
            case "owner" -> service.owner();
            case "admin" -> service.admin();
            case "nobody" -> service.nobody();
            case "person" -> person;
            case "stranger" -> service.withKey("sck_unknown");
            default -> throw new AssertionError(json);
          };
      Map<String, String> headers = new LinkedHashMap<>();
      json.object("headers")
          .orElse(JsonObject.EMPTY)
          .forEach((name, value) -> headers.put(name, named(Json.text(value).replace("\"", ""))));
      for (Map.Entry<String, String> header : headers.entrySet()) {
        calls = calls.with(header.getKey(), header.getValue());
      }
      JsonValue body = json.get("body");
      return calls.send(
          text("method", operation().method()),
          text("path", operation().path()),
          body == null ? text("raw", "") : named(Json.text(body)));
    }
  }

  @TestFactory
  List<DynamicTest> answersAreAsDeclared() throws IOException, JsonFault {
    return calls().stream()
        .map(call ->
            DynamicTest.dynamicTest(
                call.text("operation", "") + " " + call.status() + " " + call.text("about", ""),
                () -> {
                  Reply reply = call.send();
                  assertThat(reply.status()).as(reply.toString()).isEqualTo(call.status());
                  assertThat(API.faults(call.operation(), reply)).as(reply.toString()).isEmpty();
                }))
        .toList();
  }

  @Test
  void everyOperationIsCalledForASuccessAndAnError() throws IOException, JsonFault {
    var wanted = new TreeSet<String>();
    OPERATIONS.keySet().forEach(id -> wanted.addAll(List.of(id + " success", id + " error")));
    var made = new TreeSet<String>();
    for (Call call : calls()) {
      made.add(call.operation().id() + (call.status() < 400 ? " success" : " error"));
    }
    assertThat(made).isEqualTo(wanted);
  }

  private static List<Call> calls() {
    return CaseFile.objects("openapi-calls.json").stream().map(Call::new).toList();
  }

  /** Puts the things made at the start in place of {@code ${name}}. */
  private static String named(String text) {
    String result = text;
    for (Map.Entry<String, String> name : NAMES.entrySet()) {
      result = result.replace("${" + name.getKey() + "}", name.getValue());
    }
    return result;
  }
}

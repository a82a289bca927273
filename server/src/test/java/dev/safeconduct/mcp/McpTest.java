package dev.safeconduct.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The MCP server of the service: cases, and what they leave behind. */
final class McpTest {
  private static final String MESSAGE =
      "'policy_id': 'messaging.message.send.v1', 'context': {'channel_id': 'team', 'message':"
          + " 'Done.', 'message_type': 'text'}";

  @AutoClose
  private static final TestService service =
      TestService.start(
          Map.of("MCP_SERVER", "true", "CORS_ALLOWED_ORIGINS", "https://inspector.example.com"));

  private static final Map<String, Calls> CALLERS = new HashMap<>();
  private static final Map<String, String> IDS = new HashMap<>();

  @BeforeAll
  static void start() {
    String org = service.org();
    String agent = Questions.hosted(service, 9);
    String other = gated(1);
    IDS.putAll(Map.of("agent", agent, "other", other));
    CALLERS.put("setup", service.withKey(setupKey(agent)));
    CALLERS.put("otherSetup", service.withKey(setupKey(other)));
    CALLERS.put("gated", service.withKey(setupKey(gated(9))));
    CALLERS.put("nobody", service.nobody());
    CALLERS.put("owner", service.owner());
    CALLERS.put("reader", service.withKey(key(org, "read")));
    CALLERS.put("issuer", service.withKey(key(org, "issue")));
    CALLERS.put(
        "foreign",
        service.withKey(Questions.Tenant.made(service, "Other", "'read', 'read_audit'").key()));
    IDS.put(
        "decision",
        service
            .owner()
            .post(Questions.COMMAND, Questions.command(agent, "rm x"))
            .string("decision_id"));
    JsonObject record =
        (JsonObject)
            service
                .owner()
                .get("/api/audit?kind=passport_issued&limit=1")
                .json()
                .array("records")
                .orElseThrow()
                .get(0);
    IDS.put("record", record.string("record_id").orElseThrow());
    ownPack(org);
  }

  /** Hosts a passport whose messages a person has to approve. */
  private static String gated(int messagesADay) {
    String passport = Json.text(Questions.passport(Questions.freshAgent(), messagesADay));
    return Questions.hosted(
        service,
        service.org(),
        Calls.json(
            passport.replace("\"msgs_per_min\"", "\"approval_required\":true,\"msgs_per_min\"")));
  }

  private static String setupKey(String agent) {
    return service.owner().post("/api/passports/" + agent + "/setup-key", "{}").string("key");
  }

  private static String key(String org, String scope) {
    return Questions.newKey(service, org, "{'name': 'k', 'scopes': ['" + scope + "']}");
  }

  private static Calls caller(String name) {
    return Objects.requireNonNull(CALLERS.get(name), name);
  }

  private static String id(String name) {
    return Objects.requireNonNull(IDS.get(name), name);
  }

  private static void ownPack(String org) {
    String packs = "/api/orgs/" + org + "/policies";
    JsonObject pack =
        Calls.json(
            "{'id': 'own.note.v1', 'name': 'Take a note', 'description': 'only-for-administrators',"
                + " 'version': '1.0.0', 'requires_capabilities': ['own.note'], 'required_context':"
                + " {'type': 'object', 'properties': {'note': {'type': 'string'}}},"
                + " 'evaluation_rules': [{'name': 'any', 'deny_code': 'oap.action_forbidden',"
                + " 'condition': 'context.note'}]}");
    Reply created = service.admin().post(packs, pack);
    assertThat(created.status()).as(created.toString()).isEqualTo(201);
    Reply active = service.admin().post(packs + "/own.note.v1/activate", "{}");
    assertThat(active.status()).as(active.toString()).isEqualTo(200);
  }

  @TestFactory
  List<DynamicTest> cases() {
    return CaseFile.tests("mcp.json", each -> each.string("about").orElseThrow(), McpTest::holds);
  }

  private static void holds(JsonObject written) {
    JsonObject each = Json.own(filled(Json.text(written)).getBytes(UTF_8));
    Calls calls = caller(each.string("as").orElse("setup"));
    JsonObject body = body(each);
    if (each.isTrue("modern")) {
      calls =
          calls
              .with("MCP-Protocol-Version", "2026-07-28")
              .with("Mcp-Method", body.string("method").orElseThrow());
      JsonObject params = body.object("params").orElse(JsonObject.EMPTY);
      body =
          params.has("_meta")
              ? body
              : body.with(
                  "params",
                  params.with(
                      "_meta",
                      Calls.json(
                          "{'io.modelcontextprotocol/protocolVersion': '2026-07-28',"
                              + " 'io.modelcontextprotocol/clientCapabilities': {}}")));
    }
    JsonObject headers = each.object("headers").orElse(JsonObject.EMPTY);
    for (String name : headers.names()) {
      calls = calls.with(name, headers.string(name).orElseThrow());
    }
    Reply reply =
        calls.post(
            "/mcp" + each.string("query").orElse(""), each.string("text").orElse(Json.text(body)));
    assertThat(reply.status())
        .as(reply.toString())
        .isEqualTo(each.has("status") ? (int) Questions.number(each, "status") : 200);
    JsonObject seen = reply.body().length == 0 ? JsonObject.EMPTY : reply.json();
    if (each.has("tool")) {
      JsonObject result = seen.object("result").orElseThrow();
      assertThat(result.get("isError")).isEqualTo(JsonBoolean.of(each.isTrue("isError")));
      seen = result.object("structuredContent").orElseThrow();
      JsonObject content = (JsonObject) result.array("content").orElseThrow().get(0);
      assertThat(content.string("text")).contains(Json.text(seen));
    }
    contains(reply.text(), seen, each.get("has"));
    each.string("holds").ifPresent(text -> assertThat(reply.text()).contains(text));
    each.string("lacks").ifPresent(text -> assertThat(reply.text()).doesNotContain(text));
    assertThat(reply.text()).doesNotContain("sck_");
  }

  private static JsonObject body(JsonObject each) {
    JsonObject message =
        each.has("tool")
            ? JsonObject.builder()
                .put("method", "tools/call")
                .put(
                    "params",
                    JsonObject.builder()
                        .put("name", each.string("tool").orElseThrow())
                        .put("arguments", each.object("arguments").orElseThrow())
                        .build())
                .build()
            : each.object("body").orElse(JsonObject.EMPTY);
    return JsonObject.builder().put("jsonrpc", "2.0").put("id", 1L).putAll(message).build();
  }

  private static String filled(String text) {
    String filled = text;
    for (Map.Entry<String, String> id : IDS.entrySet()) {
      filled = filled.replace("${" + id.getKey() + "}", id.getValue());
    }
    return filled;
  }

  /** Objects may have more members than wanted; all else is equal. */
  private static void contains(String all, @Nullable JsonValue seen, @Nullable JsonValue wanted) {
    if (wanted instanceof JsonObject members && seen instanceof JsonObject object) {
      members.names().forEach(name -> contains(all, object.get(name), members.get(name)));
    } else if (wanted instanceof JsonArray elements && seen instanceof JsonArray array) {
      assertThat(array.size()).as(all).isEqualTo(elements.size());
      for (int i = 0; i < array.size(); i++) {
        contains(all, array.get(i), elements.get(i));
      }
    } else if (wanted != null) {
      assertThat(seen).as(all).isEqualTo(wanted);
    }
  }

  private static JsonObject call(Calls calls, String tool, String arguments) {
    Reply reply =
        calls.post(
            "/mcp",
            body(
                JsonObject.builder()
                    .put("tool", tool)
                    .put("arguments", Calls.json("{" + arguments + "}"))
                    .build()));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply
        .json()
        .object("result")
        .flatMap(result -> result.object("structuredContent"))
        .get();
  }

  @Test
  void anApprovalIsRequestedAnsweredAndUsedOnce() {
    Calls agent = caller("otherSetup");
    assertThat(call(agent, "check_action", MESSAGE).string("next").orElseThrow())
        .contains("request_approval");
    JsonObject asked = call(agent, "request_approval", MESSAGE);
    assertThat(asked.string("status")).contains("pending");
    String approval = asked.string("approval_id").orElseThrow();
    assertThat(asked.string("link").orElseThrow()).endsWith("/console/approvals/" + approval);
    String named = MESSAGE + ", 'approval_id': '" + approval + "'";
    assertThat(call(agent, "request_approval", MESSAGE).string("approval_id")).contains(approval);
    assertThat(call(agent, "request_approval", named).string("status")).contains("pending");

    Calls operator = service.operator();
    Reply approved = operator.post("/api/approvals/" + approval + "/approve", "{}");
    assertThat(approved.status()).as(approved.toString()).isEqualTo(200);
    // Checks, requests and their answers used up nothing of the one message a day.
    assertThat(call(agent, "request_approval", named).string("status")).contains("approved");
    assertThat(call(agent, "check_action", named).isTrue("would_allow")).isTrue();
    JsonObject question =
        Questions.message(id("other")).with("approval_id", new JsonString(approval));
    JsonObject context = Calls.json("{" + MESSAGE + "}").object("context").orElseThrow();
    Reply sent = agent.post(Questions.MESSAGE, question.with("context", context));
    assertThat(sent.json().isTrue("allow")).as(sent.toString()).isTrue();
    assertThat(call(agent, "check_action", named).isTrue("would_allow")).isFalse();
  }

  @Test
  void messagesCountAsVerifyRequests() {
    try (TestService limited =
        TestService.start(Map.of("MCP_SERVER", "true", "RATE_VERIFY_PER_KEY_PER_MINUTE", "2"))) {
      Calls owner = limited.owner();
      String ping = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}";
      assertThat(owner.post("/mcp", ping).status()).isEqualTo(200);
      assertThat(owner.post("/mcp", ping).status()).isEqualTo(200);
      assertThat(owner.post("/mcp", ping).status()).isEqualTo(429);
    }
  }

  @Test
  void isOffUnlessTheOperatorSwitchesItOn() {
    try (TestService usual = TestService.start()) {
      Reply off = usual.owner().post("/mcp", "{}");
      assertThat(off.status()).isEqualTo(404);
      assertThat(off.text()).contains("MCP_SERVER=true");
    }
  }

  @Test
  void aProcessServesTheToolsOnStandardInputAndOutput() throws IOException, InterruptedException {
    ProcessBuilder builder =
        ServerProcess.safeconduct("mcp-server").redirectError(ProcessBuilder.Redirect.DISCARD);
    builder
        .environment()
        .putAll(
            Map.of(
                "SAFECONDUCT_URL", service.base().toString(),
                "SAFECONDUCT_API_KEY", service.key(),
                "SAFECONDUCT_AGENT_ID", id("agent")));
    Process process = builder.start();
    try (Writer in = process.outputWriter();
        BufferedReader out = process.inputReader()) {
      in.write(
          """
          {"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25"}}
          {"jsonrpc":"2.0","method":"notifications/initialized"}

          {"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"my_passport","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
          no JSON
          """);
      in.flush();
      assertThat(out.readLine()).contains("\"id\":\"a\"", "\"protocolVersion\":\"2025-11-25\"");
      assertThat(out.readLine()).contains("\"id\":\"b\"", "\"complete\"", id("agent"));
      assertThat(out.readLine()).contains("-32700");
    } finally {
      process.waitFor();
    }
    assertThat(process.exitValue()).isZero();
  }
}

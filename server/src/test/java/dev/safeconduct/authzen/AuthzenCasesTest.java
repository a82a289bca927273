package dev.safeconduct.authzen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The sentences of the OpenID AuthZEN Authorization API 1.0 as cases, each named by its section, in
 * the world of the certification scenario. A case is put twice: equal questions get equal bodies.
 */
final class AuthzenCasesTest {
  /** The agent of a gateway that asks by COAZ-MCP. */
  private static final String AGENT =
      """
      {'agent_id': 'ap_c0a20000000000000000000000000001', 'name': 'Reader of files',
       'capabilities': [{'id': 'mcp.tool.execute'}],
       'limits': {'mcp.tool.execute': {'allowed_servers': ['mcp:files'], 'max_parameter_size': 200,
         'allowed_tools': ['read_file', 'resources.read', 'server.connect'],
         'max_calls_per_minute': 100000}}}
      """;

  /** A pack that lists a method of MCP. */
  private static final String PROMPTS =
      """
      {"policy_id": "own.prompts.v1", "name": "Complete prompts", "version": "1.0.0",
       "requires_capabilities": ["own.prompts"],
       "required_context": {"type": "object", "properties": {"resource": {"type": "object"}}},
       "authzen": {"actions": ["completion/complete"], "subjects": {"user": {"*": {}}},
         "resources": {"prompt": {"open": {"free": true}, "*": {}}}},
       "evaluation_rules": [{"name": "open", "deny_code": "oap.action_forbidden",
         "condition": "context.resource.properties.free === true"}]}
      """;

  @AutoClose private static final TestService sqlite = TestService.start();

  @AutoClose
  private static final TestService postgres = TestService.start(EachStore.POSTGRES.settings());

  @BeforeAll
  static void start() {
    setUp(sqlite);
    setUp(postgres);
  }

  private static void setUp(TestService service) {
    Records.setUp(service, service.org());
    Records.publish(service, service.org(), PROMPTS);
    Questions.hosted(service, service.org(), Calls.json(AGENT));
  }

  @TestFactory
  Stream<DynamicTest> cases() throws IOException, JsonFault {
    var cases = new ArrayList<>(CaseFile.objects("authzen.json"));
    cases.addAll(CaseFile.objects("authzen-mcp.json"));
    return Stream.of(sqlite, postgres)
        .flatMap(service -> cases.stream().map(each -> test(service, each)));
  }

  private static DynamicTest test(TestService service, JsonObject each) {
    return DynamicTest.dynamicTest(
        each.string("about").orElseThrow(),
        () -> {
          String path = each.string("path").orElseThrow();
          JsonObject body = each.object("body").orElseThrow();
          Reply reply = service.owner().post(path, body);
          assertThat(reply.status())
              .as(reply.toString())
              .isEqualTo(each.has("status") ? (int) Questions.number(each, "status") : 200);
          assertThat(reply.header("Content-Type")).contains("application/json");
          if (reply.status() == 200) {
            check(each, reply.json());
            assertThat(service.owner().post(path, body).text()).isEqualTo(reply.text());
          } else {
            assertThat(reply.json().string("field")).isEqualTo(each.string("field"));
            assertThat(reply.string("message")).isNotEmpty();
          }
        });
  }

  private static void check(JsonObject each, JsonObject body) {
    if (each.has("decision")) {
      assertThat(body.has("evaluations")).isFalse();
      decision(each.get("decision"), each.get("error"), body);
      each.string("code")
          .ifPresent(code -> assertThat(Json.text(body)).contains("\"403\":\"" + code + ":"));
      each.array("obligations")
          .ifPresent(ids -> assertThat(obligations(body)).isEqualTo(ids.texts()));
    }
    if (each.has("decisions")) {
      assertThat(body.names()).containsExactly("evaluations");
      JsonArray wanted = each.array("decisions").orElseThrow();
      JsonArray answers = body.array("evaluations").orElseThrow();
      assertThat(answers.size()).isEqualTo(wanted.size());
      for (int i = 0; i < wanted.size(); i++) {
        JsonValue error = each.has("errors") ? each.array("errors").orElseThrow().get(i) : null;
        decision(wanted.get(i), error == JsonNull.NULL ? null : error, (JsonObject) answers.get(i));
      }
    }
    if (each.has("results")) {
      assertThat(body.names()).containsExactly("page", "results");
      assertThat(body.get("results")).isEqualTo(each.get("results"));
      JsonObject page = body.object("page").orElseThrow();
      assertThat(page.string("next_token")).contains("");
      assertThat(Questions.number(page, "count"))
          .isEqualTo(body.array("results").orElseThrow().size());
    }
  }

  private static void decision(
      @org.jspecify.annotations.Nullable JsonValue wanted,
      @org.jspecify.annotations.Nullable JsonValue error,
      JsonObject answer) {
    assertThat(answer.get("decision")).as(answer.toString()).isEqualTo(wanted);
    JsonObject context = answer.object("context").orElse(JsonObject.EMPTY);
    assertThat(context.object("error").map(found -> found.get("status")).orElse(null))
        .as(answer.toString())
        .isEqualTo(error);
    boolean refused = wanted == JsonBoolean.FALSE && error == null;
    assertThat(context.has("reason_admin")).as(answer.toString()).isEqualTo(refused);
    assertThat(context.has("reason_user")).as(answer.toString()).isEqualTo(refused);
  }

  private static List<String> obligations(JsonObject answer) {
    var ids = new ArrayList<String>();
    JsonObject context = answer.object("context").orElse(JsonObject.EMPTY);
    for (JsonValue each : context.array("obligations").orElse(JsonArray.EMPTY)) {
      assertThat(((JsonObject) each).has("on")).isFalse();
      assertThat(((JsonObject) each).string("type")).isPresent();
      ids.add(((JsonObject) each).string("id").orElseThrow());
    }
    return ids;
  }
}

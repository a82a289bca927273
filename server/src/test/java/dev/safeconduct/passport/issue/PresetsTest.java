package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A passport made of a framework's preset lets the framework's ordinary tool calls pass and stops
 * the dangerous ones. The calls stand in {@code preset-calls.json}.
 */
final class PresetsTest {
  private static final String PRESETS = "/api/public/framework-passport-presets";
  private static final Set<String> FROM_L2 = Set.of("code.repository.merge.v1");

  @AutoClose private static final TestService service = TestService.start();

  @TestFactory
  List<DynamicTest> letOrdinaryCallsPassAndStopDangerousOnes() throws IOException, JsonFault {
    JsonObject data = CaseFile.object("preset-calls.json");
    var tests = new ArrayList<DynamicTest>();
    data.object("frameworks")
        .orElseThrow()
        .forEach((frameworks, names) -> {
          for (String framework : frameworks.split(" ", -1)) {
            tests.addAll(calls(framework, ((JsonArray) names).texts(), data));
          }
        });
    return tests;
  }

  private static List<DynamicTest> calls(String framework, List<String> names, JsonObject data) {
    var tests = new ArrayList<DynamicTest>();
    String assured = passport(framework, "L2");
    String fresh = passport(framework, "L0");
    for (String name : names) {
      JsonObject call =
          data.object("calls").orElseThrow().object(name).orElseThrow(AssertionError::new);
      tests.add(
          DynamicTest.dynamicTest(
              framework + " " + name,
              () -> {
                Reply reply = ask(assured, call);
                assertThat(reply.json().isTrue("allow"))
                    .as(reply.toString())
                    .isEqualTo(call.isTrue("allow"));
                if (FROM_L2.contains(policy(call))) {
                  assertThat(Questions.code(ask(fresh, call)))
                      .isEqualTo("oap.assurance_insufficient");
                }
              }));
    }
    return tests;
  }

  /**
   * A coding agent may not change the settings by which coding agents are guarded, also where the
   * owner has lifted the built-in blocks. Its ordinary work goes on.
   */
  @TestFactory
  List<DynamicTest> protectTheFilesThatGuardCodingAgents() throws IOException, JsonFault {
    JsonObject data = CaseFile.object("agent-files.json");
    var denied = new ArrayList<JsonObject>();
    for (String file : texts(data, "files")) {
      texts(data, "places").forEach(place -> denied.add(write(place.replace("%s", file))));
      denied.add(write(file.toUpperCase(Locale.ROOT)));
      texts(data, "commands").forEach(line -> denied.add(command(line.replace("%s", file))));
    }
    texts(data, "managed").forEach(file -> denied.add(write(file)));
    texts(data, "other_commands").forEach(line -> denied.add(command(line)));
    var allowed = new ArrayList<JsonObject>();
    texts(data, "ordinary_files").forEach(file -> allowed.add(write(file)));
    texts(data, "ordinary_commands").forEach(line -> allowed.add(command(line)));
    JsonObject flag = JsonObject.builder().put("disable_default_blocks", true).build();
    JsonObject lifted =
        JsonObject.builder()
            .put("data.file.write", flag)
            .put("system.command.execute", flag)
            .build();
    var tests = new ArrayList<DynamicTest>();
    for (JsonValue each : service.nobody().get(PRESETS).json().array("presets").orElseThrow()) {
      JsonObject preset = (JsonObject) each;
      if (preset.array("categories").orElseThrow().texts().contains("coding")) {
        String agent =
            issued(
                preset.with(
                    "limits", Presets.overlaid(preset.object("limits").orElseThrow(), lifted)));
        String id = preset.string("id").orElseThrow();
        tests.add(DynamicTest.dynamicTest(id + " denies", () -> expect(agent, denied, false)));
        tests.add(DynamicTest.dynamicTest(id + " allows", () -> expect(agent, allowed, true)));
      }
    }
    assertThat(tests).hasSize(20);
    return tests;
  }

  /** The same through the hooks of the agents, which name files by their working directory. */
  @TestFactory
  List<DynamicTest> protectTheFilesThroughHooks() throws IOException, JsonFault {
    JsonObject data = CaseFile.object("agent-files.json");
    var tests = new ArrayList<DynamicTest>();
    data.object("hooks")
        .orElseThrow()
        .forEach((agent, event) ->
            tests.add(
                DynamicTest.dynamicTest(
                    agent,
                    () -> {
                      Calls caller =
                          service.owner().with("Safeconduct-Agent", passport(agent, "L0"));
                      texts(data, "files").forEach(file -> hook(caller, agent, event, file, "2"));
                      texts(data, "managed").forEach(file -> hook(caller, agent, event, file, "2"));
                      texts(data, "ordinary_files")
                          .forEach(file -> hook(caller, agent, event, file, "0"));
                    })));
    return tests;
  }

  private static void hook(Calls caller, String agent, JsonValue event, String file, String exit) {
    String body = Json.text(event).replace("%s", file.replace("\\", "\\\\"));
    Reply reply = caller.post("/api/hooks/" + agent, body);
    assertThat(reply.header("Safeconduct-Exit")).as(file + " " + reply).contains(exit);
    assertThat(reply.header("Safeconduct-Error")).as(file).isEmpty();
  }

  private static void expect(String agent, List<JsonObject> calls, boolean allow) {
    for (JsonObject call : calls) {
      Reply reply = ask(agent, call);
      assertThat(reply.json().isTrue("allow")).as(call + " " + reply).isEqualTo(allow);
      if (!allow) {
        assertThat(Questions.code(reply))
            .as(call.toString())
            .isIn("oap.path_blocked", "oap.blocked_pattern");
      }
    }
  }

  private static List<String> texts(JsonObject data, String name) {
    return data.array(name).orElseThrow(AssertionError::new).texts();
  }

  private static JsonObject write(String file) {
    return call("data.file.write.v1", "file_path", file);
  }

  private static JsonObject command(String line) {
    return call("system.command.execute.v1", "command", line);
  }

  private static JsonObject call(String policy, String field, String value) {
    return JsonObject.builder()
        .put("policy", policy)
        .put("context", JsonObject.builder().put(field, value).build())
        .build();
  }

  @Test
  void everyPresetIsTried() throws IOException, JsonFault {
    var tried = new HashSet<String>();
    for (String group :
        CaseFile.object("preset-calls.json").object("frameworks").orElseThrow().names()) {
      tried.addAll(List.of(group.split(" ")));
    }
    var listed = new HashSet<String>();
    for (JsonValue preset : service.nobody().get(PRESETS).json().array("presets").orElseThrow()) {
      String id = ((JsonObject) preset).string("id").orElseThrow();
      listed.add(id);
      assertThat(service.nobody().get(PRESETS + "/" + id).json().get("data")).isEqualTo(preset);
    }
    tried.removeAll(Set.of("ironclaw", "picoclaw", "custom", "copilot")); // another's preset
    assertThat(listed).isEqualTo(tried);
  }

  @Test
  void aFrameworkIsFoundInAnyCaseAndAnUnknownOneIs404() {
    assertThat(service.nobody().get(PRESETS + "/Claude-Code").status()).isEqualTo(200);
    for (String unknown : List.of("gpt-5", "..", "%00", "a".repeat(1000))) {
      assertThat(service.nobody().get(PRESETS + "/" + unknown).status()).isEqualTo(404);
    }
  }

  private static String passport(String framework, String level) {
    JsonObject preset =
        service.nobody().get(PRESETS + "/" + framework).json().object("data").orElseThrow();
    return issued(preset.with("assurance_level", new JsonString(level)));
  }

  private static String issued(JsonObject preset) {
    Reply reply = service.admin().post("/api/passports", preset);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    assertThat(reply.json().has("warnings")).as(reply.toString()).isFalse();
    return reply.string("agent_id");
  }

  private static Reply ask(String agent, JsonObject call) {
    JsonObject context = call.object("context").orElseThrow();
    String body =
        Json.text(context.with("agent_id", new JsonString(agent)))
            .replace("${102500}", "x".repeat(102_500));
    Reply reply =
        service.owner().post("/api/verify/policy/" + policy(call), "{\"context\": " + body + "}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(Questions.code(reply)).isNotEqualTo("oap.invalid_context");
    return reply;
  }

  private static String policy(JsonObject call) {
    return call.string("policy").orElseThrow();
  }
}

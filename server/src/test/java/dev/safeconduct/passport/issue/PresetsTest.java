package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
        .forEach((framework, names) -> {
          String assured = passport(framework, "L2");
          String fresh = passport(framework, "L0");
          for (String name : ((JsonArray) names).strings().toList()) {
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
        });
    return tests;
  }

  @Test
  void everyPresetIsTried() throws IOException, JsonFault {
    var tried =
        new HashSet<>(
            CaseFile.object("preset-calls.json").object("frameworks").orElseThrow().names());
    var listed = new HashSet<String>();
    for (JsonValue preset : service.nobody().get(PRESETS).json().array("presets").orElseThrow()) {
      String id = ((JsonObject) preset).string("id").orElseThrow();
      listed.add(id);
      assertThat(service.nobody().get(PRESETS + "/" + id).json().get("data")).isEqualTo(preset);
    }
    tried.removeAll(Set.of("ironclaw", "picoclaw", "custom")); // served by the preset of another
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
    Reply reply =
        service
            .admin()
            .post("/api/passports", preset.with("assurance_level", new JsonString(level)));
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

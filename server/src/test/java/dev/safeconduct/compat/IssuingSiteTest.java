package dev.safeconduct.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The issuing site adds its task-completion settings to a preset, which may hold them already. */
final class IssuingSiteTest {
  private static final String DELIVERABLE = "deliverable.task.complete";

  @AutoClose private static final TestService service = TestService.start();

  private static final String org = service.owner().get("/api/auth/me").string("org_id");

  @TestFactory
  List<DynamicTest> issuesWithTaskCompletionSettingsOfEveryPreset() {
    var tests = new ArrayList<DynamicTest>();
    JsonObject all = service.owner().get("/api/public/framework-passport-presets").json();
    for (JsonValue each : all.array("presets").orElseThrow()) {
      String id = ((JsonObject) each).string("id").orElseThrow();
      tests.add(DynamicTest.dynamicTest(id, () -> issue(id)));
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(13);
    return tests;
  }

  private static void issue(String framework) {
    JsonObject preset =
        service
            .owner()
            .get("/api/public/framework-passport-presets/" + framework)
            .json()
            .object("data")
            .orElseThrow();
    JsonObject settings =
        Calls.json(
            "{'require_summary': true, 'min_summary_words': 35, 'require_tests_passing': true,"
                + " 'require_different_reviewer': false, 'scan_output': false,"
                + " 'blocked_patterns': [], 'acceptance_criteria': [{'id': 'done',"
                + " 'description': 'Done'}]}");
    var capabilities = new ArrayList<>(preset.array("capabilities").orElseThrow().elements());
    capabilities.add(JsonObject.builder().put("id", DELIVERABLE).put("params", settings).build());
    Reply reply =
        service
            .owner()
            .post(
                "/api/orgs/" + org + "/issue",
                JsonObject.builder()
                    .put("name", "Agent " + framework)
                    .put("role", preset.string("role").orElseThrow())
                    .put("capabilities", new JsonArray(capabilities))
                    .put(
                        "limits", preset.object("limits").orElseThrow().with(DELIVERABLE, settings))
                    .put("status", "active")
                    .build());
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    assertThat(params(reply.json(), DELIVERABLE)).isEqualTo(settings);
    for (JsonValue other : preset.array("capabilities").orElseThrow()) {
      assertThat(ids(reply.json())).contains(((JsonObject) other).string("id").orElseThrow());
    }
    assertThat(ids(reply.json())).doesNotHaveDuplicates();
  }

  @TestFactory
  List<DynamicTest> theNarrowerParamsOfBothAreUsed() {
    return CaseFile.tests(
        "passport/repeated-capabilities.json",
        wanted -> wanted.string("about").orElseThrow(),
        IssuingSiteTest::merged);
  }

  private static void merged(JsonObject wanted) {
    String id = wanted.string("id").orElseThrow();
    var capabilities = new ArrayList<JsonValue>();
    for (String which : List.of("first", "again")) {
      capabilities.add(
          JsonObject.builder()
              .put("id", id)
              .put("params", wanted.object(which).orElseThrow())
              .build());
    }
    JsonObject body =
        JsonObject.builder()
            .put("name", "Twice")
            .put("capabilities", new JsonArray(capabilities))
            .build();
    for (String path : List.of("/api/passports", "/api/orgs/" + org + "/issue")) {
      Reply reply = service.owner().post(path, body);
      if (wanted.get("want") == JsonNull.NULL) {
        assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
        assertThat(reply.string("field")).startsWith("capabilities[1].params.");
      } else {
        assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
        assertThat(ids(reply.json())).containsExactly(id);
        assertThat(params(reply.json(), id)).isEqualTo(wanted.get("want"));
        assertThat(reply.json().array("warnings").orElseThrow().texts())
            .anyMatch(warning -> warning.startsWith("capabilities[1].id names " + id));
      }
    }
  }

  /** Without an account, a second naming must not take away what the first one asked for. */
  @Test
  void issuingWithoutAnAccountMergesToo() {
    Reply reply =
        service
            .nobody()
            .post(
                "/api/issue",
                Calls.json(
                    "{'name': 'Twice named', 'description': 'An agent named twice.',"
                        + " 'email': 'twice@example.com', 'capabilities': [{'id': '"
                        + DELIVERABLE
                        + "', 'params': {'require_summary': true}}, '"
                        + DELIVERABLE
                        + "']}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    JsonObject passport = service.admin().get("/api/passports/" + reply.string("agent_id")).json();
    assertThat(params(passport, DELIVERABLE)).isEqualTo(Calls.json("{'require_summary': true}"));
  }

  /** An update that names a capability twice is a mistake, not a client's habit. */
  @Test
  void anUpdateRefusesARepeatedCapability() {
    String agent = Questions.hosted(service, 3);
    Reply reply =
        service
            .owner()
            .patch("/api/passports/" + agent, "{\"capabilities\": [\"web.fetch\", \"web.fetch\"]}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo("capabilities[1].id");
  }

  /** The site reads an instance under {@code data} only. */
  @Test
  void anInstanceIsRepeatedUnderData() {
    String agent = Questions.hosted(service, 4);
    Reply reply =
        service
            .owner()
            .post(
                "/api/passports/" + agent + "/instances",
                Calls.json(
                    "{'platform_id': 'p', 'tenant_ref': 't', 'controller_id': 'c',"
                        + " 'controller_type': 'user', 'overrides': {'regions': ['US']},"
                        + " 'agent_data': {'name': 'App'}}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    assertThat(reply.json().has("warnings")).as(reply.toString()).isFalse();
    assertThat(reply.json().without("data")).isEqualTo(reply.json().object("data").orElseThrow());
  }

  /** The site sends its own passport's id as the owner; a revocation must not fail for it. */
  @Test
  void anOwnerThatNamesAPassportIsIgnoredWithAWarning() {
    for (boolean itself : List.of(true, false)) {
      String agent = Questions.hosted(service, 5);
      String owner = itself ? agent : "ap_" + "5".repeat(32);
      Reply reply =
          service
              .owner()
              .put(
                  "/api/passports/" + agent,
                  "{\"status\": \"revoked\", \"owner_id\": \"" + owner + "\"}");
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      assertThat(reply.string("status")).isEqualTo("revoked");
      assertThat(reply.string("owner_id")).isEqualTo(org);
      assertThat(reply.json().array("warnings").orElseThrow().texts().getFirst())
          .startsWith("owner_id names a passport and is ignored");
    }
    String agent = Questions.hosted(service, 6);
    Reply other =
        service
            .owner()
            .put("/api/passports/" + agent, "{\"status\": \"revoked\", \"owner_id\": \"org_x\"}");
    assertThat(other.status()).isEqualTo(400);
    assertThat(other.string("field")).isEqualTo("owner_id");
  }

  @Test
  void credentialsWithoutUseAreNamed() {
    Reply denied =
        service
            .owner()
            .post(
                "/api/issue",
                Calls.json(
                    "{'name': 'Payer', 'description': 'An agent that refunds.', 'email':"
                        + " 'payer@example.com', 'capabilities': ['payments.refund']}"));
    assertThat(denied.status()).isEqualTo(400);
    assertThat(denied.string("message")).contains("API keys are ignored", "POST /api/passports");
    Reply issued =
        service
            .owner()
            .post(
                "/api/issue",
                Calls.json(
                    "{'name': 'Reader', 'description': 'An agent that reads.', 'email':"
                        + " 'reader@example.com', 'framework': 'other', 'titel': 'x'}"));
    assertThat(issued.status()).as(issued.toString()).isEqualTo(201);
    assertThat(issued.json().array("warnings").orElseThrow().elements())
        .hasSize(2)
        .first()
        .isEqualTo(new JsonString("titel is not known here and is ignored."));
  }

  @Test
  void onlyJsonIsAFormatOfAPassport() {
    String path = "/api/passports/" + Questions.hosted(service, 7);
    for (String format : List.of("vc", "vp", "oap")) {
      Reply reply = service.owner().get(path + "?format=" + format);
      assertThat(reply.status()).as(format).isEqualTo(400);
      assertThat(reply.string("field")).isEqualTo("format");
    }
    assertThat(service.owner().get(path + "?format=json").status()).isEqualTo(200);
  }

  @Test
  void anImportedPassportIdMayRepeatTheAgentId() {
    String id = "ap_" + "7a".repeat(16);
    Reply reply =
        service
            .admin()
            .post(
                "/api/passports",
                Calls.json(
                    "{'name': 'Imported', 'agent_id': '%s', 'passport_id': '%s'}"
                        .formatted(id, id)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    assertThat(reply.string("agent_id")).isEqualTo(id);
    assertThat(reply.string("passport_id")).isEqualTo("7a7a7a7a-7a7a-7a7a-7a7a-7a7a7a7a7a7a");
  }

  private static List<String> ids(JsonObject passport) {
    return passport.array("capabilities").orElseThrow().elements().stream()
        .map(each -> ((JsonObject) each).string("id").orElseThrow())
        .toList();
  }

  private static JsonValue params(JsonObject passport, String id) {
    return passport.array("capabilities").orElseThrow().elements().stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.string("id").orElseThrow().equals(id))
        .map(each -> Objects.requireNonNullElse(each.get("params"), JsonObject.EMPTY))
        .findFirst()
        .orElseThrow();
  }
}

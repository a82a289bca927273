package dev.safeconduct.deploy;

import static dev.safeconduct.deploy.Pipeline.BOT;
import static dev.safeconduct.deploy.Pipeline.says;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Reply;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A plan says exactly what an apply does, and a second apply of the same files does nothing. */
final class DeployDetailsTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static final String SECRET = "a secret of the receiver, long enough";

  @TempDir private static Path folder;

  private static Pipeline pipeline(EachStore store) {
    return Pipeline.of(services, folder, store);
  }

  private static JsonObject files(String organization, JsonObject... resources) {
    return JsonObject.builder()
        .put("organization", organization)
        .put("resources", new JsonArray(List.of(resources)))
        .build();
  }

  private static JsonObject only(Reply answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return (JsonObject) answer.json().array("resources").orElseThrow().get(0);
  }

  private static JsonObject planned(Pipeline pipeline, JsonObject resource) {
    return only(pipeline.service().admin().post("/api/plan", files(pipeline.org(), resource)));
  }

  private static JsonObject applied(Pipeline pipeline, JsonObject resource) {
    return only(pipeline.service().admin().post("/api/apply", files(pipeline.org(), resource)));
  }

  private static JsonObject bot(String more) {
    return Calls.json("{'kind': 'Passport', 'slug': 'bot', 'name': 'Bot', " + more + "}");
  }

  @ParameterizedTest
  @EnumSource
  void aTextThatCannotBeAnOrganizationIsNamed(EachStore store) {
    Pipeline pipeline = pipeline(store);
    Calls admin = pipeline.service().admin();
    for (String text : List.of("", "x".repeat(129))) {
      for (String path : List.of("/api/plan", "/api/apply")) {
        names(admin.post(path, files(text)), "organization");
        names(admin.post(path + "?org_id=" + text, Calls.json("{'resources': []}")), "org_id");
      }
      names(admin.get("/api/resources?organization=" + text), "organization");
      names(admin.get("/api/resources?org_id=" + text), "org_id");
    }
    assertThat(admin.get("/api/resources?org_id=" + "x".repeat(128)).status()).isEqualTo(404);
  }

  private static void names(Reply refused, String member) {
    assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
    assertThat(refused.text()).contains(member + " must be the id or the name");
  }

  /** The second apply is an update, which must not refuse what the first one took. */
  @ParameterizedTest
  @EnumSource
  void aCapabilityIsNamedOnceAlreadyInANewPassport(EachStore store) {
    Pipeline pipeline = pipeline(store);
    pipeline.write(
        "sales.yaml", "kind: Template\nslug: sales\nname: Sales\ncapabilities: [web.fetch]\n");
    says(pipeline.run("apply"), 0, "1 created");
    for (String made : List.of("", "template: sales\n")) {
      for (String twice :
          List.of("{id: web.fetch}, {id: web.fetch}", "web.fetch, {id: web.fetch}")) {
        pipeline.write(
            "sales.yaml",
            "kind: Passport\nslug: bot\nname: Bot\n" + made + "capabilities: [" + twice + "]\n");
        for (String command : List.of("validate", "plan", "apply")) {
          says(
              pipeline.run(command),
              1,
              "sales.yaml",
              "capabilities[1].id names web.fetch a second time");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSecondApplyChangesNothing(EachStore store) {
    Pipeline pipeline = pipeline(store);
    for (String more :
        List.of(
            "'limits': {'web.fetch': {'max_requests_per_min': -0.0}}, 'metadata': {'a': [-0.0]}",
            "'contact': null, 'role': null, 'description': null",
            "'expires_at': '2031-01-31T00:00:00Z', 'never_expires': null")) {
      JsonObject file = bot(more).with("slug", new JsonString("bot-" + more.length()));
      assertThat(applied(pipeline, file).string("action")).contains("create");
      Reply again = pipeline.service().admin().post("/api/apply", files(pipeline.org(), file));
      assertThat(only(again).string("action")).as(more).contains("unchanged");
      assertThat(again.json().isTrue("applied")).as(more).isFalse();
    }
  }

  /** What a person sets again after a file has removed it differs from the file. */
  @ParameterizedTest
  @EnumSource
  void aMemberThatAFileRemovesIsChangedByHand(EachStore store) {
    Pipeline pipeline = pipeline(store);
    String none = "'contact': null, 'expires_at': null";
    JsonObject _ = applied(pipeline, bot("'contact': 'a@example.com'"));
    assertThat(Json.text(applied(pipeline, bot(none)))).contains("contact");
    drifts(pipeline, bot(none), "bot");
    JsonObject second = bot(none).with("slug", new JsonString("second"));
    assertThat(Json.text(applied(pipeline, second))).doesNotContain("contact", "expires_at");
    drifts(pipeline, second, "second");
  }

  private static void drifts(Pipeline pipeline, JsonObject file, String slug) {
    assertThat(planned(pipeline, file).get("changed_by_hand")).isEqualTo(JsonArray.EMPTY);
    String path = "/api/passports/" + pipeline.passport(slug).string("agent_id");
    String set = "{\"contact\": \"b@example.com\", \"expires_at\": \"2031-01-31T00:00:00Z\"}";
    assertThat(pipeline.service().admin().patch(path, set).status()).isEqualTo(200);
    assertThat(planned(pipeline, file).array("changed_by_hand").orElseThrow().texts())
        .containsExactlyInAnyOrder("contact", "expires_at");
    JsonObject _ = applied(pipeline, file);
    assertThat(pipeline.passport(slug).json().has("contact")).isFalse();
    assertThat(planned(pipeline, file).get("changed_by_hand")).isEqualTo(JsonArray.EMPTY);
  }

  /** A pipeline cannot set the level, so a plan must not show it as if it did. */
  @ParameterizedTest
  @EnumSource
  void aPlanShowsTheLevelThatANewPassportGets(EachStore store) {
    Pipeline pipeline = pipeline(store);
    pipeline.write("bot.yaml", BOT + "assurance_level: L4\n");
    says(pipeline.run("plan"), 2, "+ assurance_level: \"L0\"", "a new passport has L0");
    assertThat(pipeline.run("plan").out()).doesNotContain("L4");
    assertThat(Json.text(planned(pipeline, bot("'assurance_level': 'L4'"))))
        .contains("\"after\":\"L4KYC\"");
    assertThat(Json.text(planned(pipeline, bot("'agent_id': null")))).doesNotContain("agent_id");
  }

  private static JsonObject webhook(String more) {
    return Calls.json("{'kind': 'Webhook', " + more + "}");
  }

  @ParameterizedTest
  @EnumSource
  void aWebhookKeepsTheAgentThatItsFileLeavesOut(EachStore store) {
    Pipeline pipeline = pipeline(store);
    JsonObject _ = applied(pipeline, bot("'role': 'clerk'"));
    String made = "'url': 'https://x.example/', 'secret': '" + SECRET + "'";
    JsonObject _ = applied(pipeline, webhook(made + ", 'agent': 'bot'"));
    String id =
        planned(pipeline, webhook(made + ", 'agent': 'bot'")).string("object_id").orElseThrow();
    String named = "'webhook_id': '" + id + "'";
    assertThat(planned(pipeline, webhook(named)).string("action")).contains("unchanged");
    JsonObject _ = applied(pipeline, webhook(named + ", 'timeout_ms': 900"));
    String path = "/api/webhooks/" + id + "?org_id=" + pipeline.org();
    assertThat(pipeline.service().admin().get(path).text())
        .contains(pipeline.passport("bot").string("agent_id"));
    assertThat(planned(pipeline, webhook(made)).string("action")).contains("create");
    JsonObject _ = applied(pipeline, webhook(named + ", 'agent': null"));
    assertThat(pipeline.service().admin().get(path).text()).contains("\"agent_id\":null");
  }

  @ParameterizedTest
  @EnumSource
  void aPlanWarnsOfAWebhookAsItsApiDoes(EachStore store) {
    Pipeline pipeline = pipeline(store);
    String members =
        "'url': 'https://x.example/', 'secret': 'short but not too short', 'events': ['status_chnage']";
    Reply told =
        pipeline
            .service()
            .admin()
            .post("/api/webhooks?org_id=" + pipeline.org(), Calls.json("{" + members + "}"));
    List<String> warnings = told.json().array("warnings").orElseThrow().texts();
    assertThat(warnings).hasSize(3);
    for (String which : List.of("x", "y")) {
      JsonObject file = webhook(members.replace("x.example", which + ".example"));
      assertThat(planned(pipeline, file).array("warnings").orElseThrow().texts())
          .as("the update and the creation")
          .isEqualTo(warnings);
    }
    pipeline.write(
        "x.yaml",
        "kind: Webhook\nurl: https://x.example/\nsecret: {from_env: PATH}\nevents: [status_chnage]\n");
    says(pipeline.run("validate"), 0, "Nothing is sent for status_chnage");
  }

  /** A plan shows what a person has changed, and the next apply restores it. */
  @ParameterizedTest
  @EnumSource
  void theSecretAndTheAgentOfAWebhookAreChangedByHand(EachStore store) {
    Pipeline pipeline = pipeline(store);
    Calls admin = pipeline.service().admin();
    JsonObject _ = applied(pipeline, bot("'role': 'clerk'"));
    JsonObject made = webhook("'url': 'https://x.example/', 'secret': '" + SECRET + "'");
    JsonObject _ = applied(pipeline, made);
    String id = planned(pipeline, made).string("object_id").orElseThrow();
    JsonObject file =
        webhook(
            "'webhook_id': '%s', 'agent': null, 'retry_attempts': null, 'secret': '%s'"
                .formatted(id, SECRET));
    JsonObject _ = applied(pipeline, file);
    String path = "/api/webhooks/" + id;
    String query = "?org_id=" + pipeline.org();
    JsonObject change =
        Calls.json(
            "{'target': 'agent', 'agent_id': '%s', 'retry_attempts': 2}"
                .formatted(pipeline.passport("bot").string("agent_id")));
    for (Reply changed :
        List.of(
            admin.post(path + "/rotate-secret" + query, "{}"),
            admin.patch(path + query, Json.text(change)))) {
      assertThat(changed.status()).as(changed.toString()).isEqualTo(200);
    }
    JsonObject plan = planned(pipeline, file);
    assertThat(plan.array("changed_by_hand").orElseThrow().texts())
        .containsExactlyInAnyOrder("secret", "agent");
    assertThat(Json.text(plan)).contains("(from the environment)").doesNotContain(SECRET);
    assertThat(admin.get("/api/resources" + query).text())
        .contains("\"changed_by_hand\":[\"secret\",\"agent\"]");
    JsonObject _ = applied(pipeline, file);
    assertThat(planned(pipeline, file).get("changed_by_hand")).isEqualTo(JsonArray.EMPTY);
    assertThat(planned(pipeline, file).string("action")).contains("unchanged");
  }
}

package dev.safeconduct.deploy;

import static dev.safeconduct.deploy.Pipeline.BOT;
import static dev.safeconduct.deploy.Pipeline.EVERYTHING;
import static dev.safeconduct.deploy.Pipeline.pack;
import static dev.safeconduct.deploy.Pipeline.packId;
import static dev.safeconduct.deploy.Pipeline.says;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What files may do, and what people see of it, with a real service on each store. */
@Tag("slow")
final class DeployPlanTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  @TempDir private static Path folder;

  private static Pipeline pipeline(EachStore store) {
    return Pipeline.of(services, folder, store);
  }

  /** Readers of a plan see all that changes, however long the values are. */
  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aPlanHidesNothingThatChanges(EachStore store) {
    Pipeline pipeline = pipeline(store);
    String text = "A".repeat(300);
    String bot = BOT + "description: " + text + "1" + text + "2" + text + "\n";
    bot = bot + "regions: [DE, FR, IT]\n";
    pipeline.write("bot.yaml", bot).write("packs/stock/policy.json", pack(pipeline, 10));
    says(pipeline.run("plan"), 2, "+ version", "+ evaluation_rules", "context.items <= 10");
    says(pipeline.run("apply"), 0);
    pipeline.write(
        "bot.yaml",
        bot.replace("1A", "5A").replace("2A", "6A").replace("DE, FR, IT", "FR, DE, IT"));
    CommandRun plan = pipeline.run("plan");
    says(plan, 2, "~ regions: the order has changed", "A1A", "A2A", "A5A", "A6A");
    pipeline.write("bot.yaml", bot).write("packs/stock/policy.json", pack(pipeline, 9));
    says(pipeline.run("plan"), 2, "10", "9");
    assertThat(pipeline.run("plan").out()).doesNotContain("order has changed");
  }

  /** A file names a preset of the release and what differs from it. */
  @ParameterizedTest
  @EnumSource
  void aTemplateBeginsAsAPreset(EachStore store) {
    Pipeline pipeline = pipeline(store);
    pipeline.write(
        "coding.yaml",
        """
        kind: Preset
        slug: coding
        preset: claude-code
        name: Our coding agents
        limits: {system.command.execute: {allowed_commands: [git, npm]}}
        ---
        kind: Preset
        slug: reading
        preset: claude-code
        capabilities: [{id: data.file.read}]
        """);
    says(pipeline.run("validate"), 0, "2 objects, 0 faults");
    says(pipeline.run("apply"), 0, "2 created");
    says(pipeline.run("plan"), 0, "2 unchanged");
    JsonObject preset =
        pipeline
            .service()
            .nobody()
            .get("/api/public/framework-passport-presets/claude-code")
            .json()
            .object("data")
            .orElseThrow();
    JsonObject made = pipeline.passport("coding").json();
    assertThat(made.get("capabilities")).isEqualTo(preset.get("capabilities"));
    assertThat(made.string("name")).contains("Our coding agents");
    JsonObject limits = preset.object("limits").orElseThrow();
    JsonObject commands = limits.object("system.command.execute").orElseThrow();
    assertThat(made.get("limits"))
        .isEqualTo(
            limits.with(
                "system.command.execute",
                commands.with("allowed_commands", JsonArray.ofStrings(List.of("git", "npm")))));
    assertThat(pipeline.passport("reading").json().get("limits"))
        .isEqualTo(limits.only(List.of("data.file.read")));
    Pipeline pulled = pipeline.in("pulled-" + pipeline.org());
    says(pulled.run("pull"), 0, ": 2\n");
    says(pulled.run("plan"), 0, "2 unchanged");
  }

  /** By whatever name a file narrows a limit: the preset's wide one must not stay beside it. */
  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aPresetIsNarrowedByEachNameOfALimit(EachStore store) {
    Pipeline pipeline = pipeline(store);
    String file = "kind: Preset\nslug: flow\npreset: n8n\n";
    for (String limits :
        List.of(
            "{messaging: {send: {msgs_per_day: 3}}}",
            "{data: {export: {max_export_rows: 50}}}",
            "{messaging.send: 5}",
            "{msgs_per_day: 3}")) {
      pipeline.write("flow.yaml", file + "limits: " + limits);
      says(pipeline.run("plan"), 1, "flow.yaml", "limits.");
    }
    pipeline.write("flow.yaml", file.replace("slug: flow", "agent_id: " + Questions.freshAgent()));
    says(pipeline.run("plan"), 1, "slug is missing");
    pipeline.write(
        "flow.yaml",
        file
            + """
            capabilities: [{id: messaging.message.send}, {id: data.export}]
            limits:
              messaging.message.send: {msgs_per_day: 3}
              data.export.create: {max_rows: 50}
            """);
    says(pipeline.run("apply"), 0, "1 created");
    assertThat(pipeline.passport("flow").json().object("limits"))
        .contains(
            Calls.json(
                """
                {'messaging.send': {'msgs_per_min': 5, 'msgs_per_day': 3,
                   'allowed_recipients': ['*'], 'approval_required': false},
                 'data.export': {'max_export_rows': 50, 'allow_pii': false,
                   'allowed_collections': ['*']}}
                """));
  }

  /** What is removed and described again is not in use again, and the plan says so each time. */
  @ParameterizedTest
  @EnumSource
  void aPlanSaysThatAnAgentStaysSuspended(EachStore store) {
    Pipeline pipeline = pipeline(store).write("bot.yaml", BOT);
    pipeline.write("more.yaml", BOT.replace("support-bot", "second"));
    says(pipeline.run("apply", "--owner", "ours"), 0);
    Pipeline fewer = pipeline.in("fewer-" + pipeline.org());
    fewer.write("more.yaml", BOT.replace("support-bot", "second"));
    says(fewer.run("apply", "--owner", "ours", "--prune"), 0, "1 removed");
    says(
        pipeline.run("plan", "--owner", "ours"),
        0,
        "The passport is suspended and stays so",
        "1 with notes");
    Pipeline pulled = pipeline.in("pulled-" + pipeline.org());
    says(pulled.run("pull"), 0, ": 2\n");
    assertThat(pulled.read("passports/support-bot.yaml")).contains("status: suspended");
    assertThat(pulled.read("passports/second.yaml")).doesNotContain("status");
  }

  @ParameterizedTest
  @EnumSource
  void aPlanShowsWhatWithdrawingAPackDenies(EachStore store) {
    Pipeline pipeline = pipeline(store);
    pipeline.write(
        "bot.yaml",
        """
        kind: Passport
        slug: support-bot
        name: Clerk
        capabilities: [{id: acme.stock.move}]
        limits: {acme.stock.move: {max_items: 50}}
        """);
    pipeline.write("packs/stock/policy.json", pack(pipeline, 10));
    says(pipeline.run("apply", "--owner", "ours"), 0);
    String agent = pipeline.bot().string("agent_id");
    for (int items : List.of(3, 4, 11)) {
      Reply decided =
          pipeline
              .service()
              .admin()
              .post(
                  "/api/verify/policy/" + packId(pipeline) + "?org_id=" + pipeline.org(),
                  Calls.json("{'context': {'agent_id': '" + agent + "', 'items': " + items + "}}"));
      assertThat(decided.json().isTrue("allow")).as(decided.toString()).isEqualTo(items < 11);
    }
    String effects =
        "of 3 decisions in the last 24 hours, 2 would change (2 allowed would be denied";
    Pipeline less = pipeline.in("less-" + pipeline.org());
    less.write("bot.yaml", "kind: Passport\nslug: support-bot\n");
    says(less.run("plan", "--owner", "ours", "--prune"), 2, "- Pack", effects);
    less.write("pack.yaml", "kind: Pack\nactive: false\ndocument: " + pack(pipeline, 10));
    says(less.run("plan", "--owner", "ours"), 2, "~ active: true -> false", effects);
  }

  @ParameterizedTest
  @EnumSource
  void oneFileDescribesAWebhookOnce(EachStore store) {
    String webhook = "kind: Webhook\nurl: https://x.example/\nsecret: {from_env: PATH}\n";
    Pipeline pipeline = pipeline(store).write("x.yaml", webhook + "---\n" + webhook);
    for (String command : List.of("plan", "apply")) {
      says(pipeline.run(command), 1, "x.yaml:4", "Two resources describe this URL");
    }
    says(pipeline.write("x.yaml", webhook).run("apply"), 0, "1 created");
    says(pipeline.run("plan"), 0, "1 unchanged");

    says(pipeline.write("bot.yaml", BOT).run("apply"), 0);
    String moved =
        "kind: Webhook\nwebhook_id: " + webhook(pipeline) + "\nurl: https://y.example/\n";
    String other = webhook.replace("x.example", "y.example");
    String agent = pipeline.bot().string("agent_id");
    for (List<String> two :
        List.of(
            List.of(moved, other),
            List.of(other, moved),
            List.of(other + "agent: support-bot\n", other + "agent: " + agent + "\n"))) {
      pipeline.write("x.yaml", String.join("---\n", two));
      says(pipeline.run("plan"), 1, "x.yaml", "Two resources describe this URL");
    }
    says(
        pipeline.write("x.yaml", moved + "---\n" + other + "agent: " + agent + "\n").run("plan"),
        2,
        "1 to create, 1 to change");
  }

  private static String webhook(Pipeline pipeline) {
    Reply webhooks = pipeline.service().admin().get("/api/webhooks?org_id=" + pipeline.org());
    JsonValue first = webhooks.json().array("webhooks").orElseThrow().get(0);
    return ((JsonObject) first).string("webhook_id").orElseThrow();
  }

  /** The state is of what the plan shows, so that nobody applies another address or status. */
  @ParameterizedTest
  @EnumSource
  void aPlanShowsEachAddressAndWhatANewPassportGets(EachStore store) {
    Pipeline pipeline = pipeline(store).write("b.yaml", EVERYTHING);
    says(pipeline.run("plan"), 2, "+ template: \"sales\"", "+ status: \"active\"");
    String state = state(pipeline);
    pipeline.write("b.yaml", EVERYTHING.replace("name: Sales EU", "name: Sales EU\nstatus: draft"));
    says(pipeline.run("plan"), 2, "+ status: \"draft\"");
    assertThat(state(pipeline)).isNotEqualTo(state);
    pipeline.write("b.yaml", EVERYTHING.replace("template: sales\n", ""));
    assertThat(state(pipeline)).isNotEqualTo(state);
    pipeline.write("b.yaml", EVERYTHING.replace("/all", "/all-1"));
    assertThat(state(pipeline)).isNotEqualTo(state);
    pipeline.write("b.yaml", EVERYTHING);
    assertThat(state(pipeline)).isEqualTo(state);
    says(pipeline.run("apply", "--expect", state), 0);

    String moved =
        "kind: Webhook\nwebhook_id: " + webhook(pipeline) + "\nurl: https://hooks.example.com/";
    pipeline.write("b.yaml", moved + "one");
    says(pipeline.run("plan"), 2, "~ url: \"https://hooks.example.com#");
    state = state(pipeline);
    pipeline.write("b.yaml", moved + "two");
    assertThat(state(pipeline)).isNotEqualTo(state);
    says(pipeline.run("apply", "--expect", state), 1, "Plan again");
  }

  private static String state(Pipeline pipeline) {
    return Calls.json(pipeline.run("plan", "--json").out()).string("state").orElseThrow();
  }

  /** The file of an instance need not name its template to be checked against the new one. */
  @ParameterizedTest
  @EnumSource
  void anInstanceIsCheckedAgainstWhatItsTemplateBecomes(EachStore store) {
    Pipeline pipeline = pipeline(store).write("b.yaml", EVERYTHING);
    says(pipeline.run("apply"), 0);
    String wider = "kind: Passport\nslug: sales-eu\nlimits: {messaging.send: {msgs_per_day: 60}}\n";
    pipeline.write("b.yaml", wider);
    says(pipeline.run("plan"), 1, "b.yaml");
    pipeline.write(
        "c.yaml", "kind: Template\nslug: sales\nlimits: {messaging.send: {msgs_per_day: 70}}\n");
    says(pipeline.run("plan"), 2, "2 to change");
    pipeline.write("b.yaml", wider.replace("Passport", "Template"));
    says(pipeline.run("plan"), 1, "has the kind Passport");
  }

  @ParameterizedTest
  @EnumSource
  void aPassportFoundByItsIdGetsASlug(EachStore store) {
    Pipeline pipeline = pipeline(store).write("b.yaml", BOT);
    says(pipeline.run("apply"), 0);
    String id = pipeline.bot().string("agent_id");
    pipeline.write("b.yaml", "kind: Passport\nagent_id: " + id + "\nslug: renamed-bot\n");
    says(pipeline.run("plan"), 2, "0 to create, 1 to change");
    says(pipeline.run("apply"), 0);
    assertThat(pipeline.passport("renamed-bot").string("agent_id")).isEqualTo(id);
  }

  @ParameterizedTest
  @EnumSource
  void aFileCannotNameEveryVariable(EachStore store) {
    Pipeline pipeline =
        pipeline(store)
            .write("x.yaml", "kind: Webhook\nurl: https://x.example/\nsecret: {from_env: HOME}\n");
    for (String command : List.of("plan", "apply")) {
      says(pipeline.run(command), 1, "x.yaml", "SAFECONDUCT_SECRET_", "HOME");
    }
    says(pipeline.run("apply", "--env", "HOME"), 0, "1 created");
  }

  /** Files change what the token may: each kind needs its right, and nothing else is enough. */
  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aDeployTokenChangesPassportsAndPacksAndNothingElse(EachStore store) {
    Pipeline pipeline = pipeline(store).write("all.yaml", EVERYTHING);
    pipeline.write("packs/stock/policy.json", pack(pipeline, 10));
    says(pipeline.run("apply", "--owner", "ours"), 0);
    Pipeline plain =
        pipeline.in("plain-" + pipeline.org()).with(pipeline.deployToken("")).write("b.yaml", BOT);
    Map<String, String> needed =
        Map.of(
            "kind: Webhook\nurl: https://hooks.example.com/all\nactive: true\n",
            "webhooks",
            "kind: Webhook\nurl: https://evil.example/\nsecret: {from_env: PATH}\n",
            "webhooks",
            "kind: Retention\ndays: 1\n",
            "retention",
            "kind: Retention\ndays: null\n",
            "retention",
            "kind: Pack\nactive: false\ndocument: " + pack(pipeline, 10),
            "withdraw");
    needed.forEach((file, right) -> {
      plain.write("b.yaml", BOT + "---\n" + file);
      for (String command : List.of("plan", "apply")) {
        says(plain.run(command), 1, "b.yaml", "may: [" + right + "]");
      }
      Path two =
          pipeline.deployToken(
              List.of("webhooks", "retention", "withdraw").stream()
                  .filter(each -> !each.equals(right))
                  .map(each -> "'" + each + "'")
                  .collect(Collectors.joining(",")));
      says(plain.run(two, "plan"), 1, "may: [" + right + "]");
      says(
          plain.run(pipeline.deployToken("'" + right + "'"), "plan", "--owner", "ours"), 2, "Plan");
    });
    plain.write("b.yaml", BOT);
    says(plain.run("apply", "--owner", "ours", "--prune"), 1, "may: [");
    assertThat(plain.bot().status()).isEqualTo(404);
    assertThat(pipeline.passport("sales-eu").string("status")).isEqualTo("active");
    says(plain.in("seen-" + pipeline.org()).run("pull"), 0, ": 3\n");
    says(plain.run("apply"), 0, "1 created");
    assertThat(pipeline.records("policy_changed").toString()).contains(packId(pipeline));
    JsonObject operator = Calls.json("{'name': 'A', 'role': 'operator', 'may': ['webhooks']}");
    assertThat(pipeline.service().admin().post("/api/admin/tokens", operator).status())
        .isEqualTo(400);
  }

  /** A template narrows what is made from it, so a plan is of both. */
  @ParameterizedTest
  @EnumSource
  void aPlanIsOfTheTemplateToo(EachStore store) {
    Pipeline pipeline = pipeline(store).write("all.yaml", Pipeline.EVERYTHING);
    says(pipeline.run("apply", "--owner", "ours"), 0);
    JsonObject files =
        Calls.json(
            "{'organization': '%s', 'owner': 'ours', 'resources': [{'kind': 'Passport', 'slug': 'sales-eu', 'name': 'Y'}]}"
                .formatted(pipeline.org()));
    Calls admin = pipeline.service().admin();
    String state = admin.post("/api/plan", files).string("state");
    assertThat(admin.post("/api/plan", files).string("state")).isEqualTo(state);
    String template = pipeline.passport("sales").string("agent_id");
    String wider = "{\"limits\": {\"messaging.send\": {\"msgs_per_day\": 60}}}";
    assertThat(admin.patch("/api/passports/" + template, wider).status()).isEqualTo(200);
    Reply told = admin.post("/api/apply", files.with("expected_state", new JsonString(state)));
    assertThat(told.status()).as(told.toString()).isEqualTo(409);
    assertThat(told.text()).contains("state_changed");
    assertThat(pipeline.passport("sales-eu").string("name")).isEqualTo("Sales EU");
  }

  /** Files in a repository are read by many, and the address of a chat is a secret. */
  @ParameterizedTest
  @EnumSource
  void whatIsPulledHoldsNoAddressWithAToken(EachStore store) {
    Pipeline pipeline = pipeline(store);
    List<String> tokens = List.of("x9aFd81234567890abc", "B0/short", "key=1", "plain-way-of-words");
    List<String> more = List.of("", "format: slack", "", "");
    List<String> places = List.of("/T0/", "/T0/", "/in?", "/");
    for (int i = 0; i < tokens.size(); i++) {
      pipeline.write(
          "hook-" + i + ".yaml",
          "kind: Webhook\nurl: https://hooks.example.com"
              + places.get(i)
              + tokens.get(i)
              + "\nsecret: {from_env: PATH}\n"
              + more.get(i)
              + "\n");
    }
    says(pipeline.run("apply"), 0, "4 created");
    Pipeline pulled = pipeline.in("hooks-" + pipeline.org());
    says(pulled.run("pull"), 0, "URL of a webhook may hold a token");
    says(pulled.run("validate"), 0, "0 faults");
    says(pulled.run("plan"), 0, "4 unchanged");
    String all =
        pipeline.service().admin().get("/api/resources?organization=" + pipeline.org()).text();
    assertThat(all).contains("webhook_id", tokens.getLast());
    tokens.subList(0, 3).forEach(token -> assertThat(all).doesNotContain(token));
  }

  /** More objects than one apply writes are compared, and pulled, like any others. */
  @ParameterizedTest
  @EnumSource
  void anOrganizationMayHaveMoreThanOneApplyWrites(EachStore store) {
    Pipeline pipeline = pipeline(store);
    Calls admin = pipeline.service().admin();
    for (int first : List.of(0, 600)) {
      assertThat(admin.post("/api/apply", bots(pipeline, first, 600, "Bot")).status())
          .isEqualTo(200);
    }
    Reply plan = admin.post("/api/plan", bots(pipeline, 0, 1200, "Bot"));
    assertThat(plan.json().isTrue("changed")).isFalse();
    Reply applied = admin.post("/api/apply", bots(pipeline, 0, 1200, "Bot"));
    assertThat(applied.status()).as("nothing to write").isEqualTo(200);
    for (String path : List.of("/api/plan", "/api/apply")) {
      Reply refused = admin.post(path, bots(pipeline, 0, 1200, "Other"));
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text())
          .contains("at most 1,000 objects and labels", "each with its own owner");
    }
    Reply most = admin.post("/api/plan", bots(pipeline, 0, 1501, "Bot"));
    assertThat(most.status()).isEqualTo(400);
    assertThat(most.text()).contains("resources has more than 1500 elements");
    Pipeline pulled = pipeline.in("many-" + pipeline.org());
    says(pulled.run("export"), 0, ": 1200\n");
    says(pulled.run("plan", "--no-effects"), 0, "1200 unchanged");

    String email = pipeline.org() + "@example.com";
    Calls _ = pipeline.service().member(pipeline.org(), email, "owner");
    int letters = pipeline.service().letters().await(email, 1).size();
    for (int count : List.of(600, 1)) {
      JsonObject ours =
          bots(pipeline, 0, count, "Bot")
              .with("owner", new JsonString("ours"))
              .with("prune", JsonBoolean.TRUE);
      assertThat(admin.post("/api/apply", ours).status()).isEqualTo(200);
    }
    assertThat(pipeline.service().letters().await(email, letters + 1).get(letters))
        .as("one email about all that one apply suspends")
        .contains("599 passports are suspended");
  }

  /** What exists gets labels by the first apply of its files: more than one apply writes. */
  @ParameterizedTest
  @EnumSource
  void aPlanSaysIfAnApplyWouldBeRefused(EachStore store) {
    Pipeline pipeline = pipeline(store);
    Calls admin = pipeline.service().admin();
    for (int first : List.of(0, 600)) {
      admin.post("/api/apply", bots(pipeline, first, 600, "Bot"));
    }
    JsonObject ours = bots(pipeline, 0, 1200, "Bot").with("owner", new JsonString("ours"));
    Reply plan = admin.post("/api/plan", ours);
    assertThat(plan.json().isTrue("changed")).isFalse();
    String why = plan.string("apply_refused");
    assertThat(why).contains("at most 1,000 objects and labels");
    Reply applied = admin.post("/api/apply", ours);
    assertThat(applied.status()).isEqualTo(400);
    assertThat(applied.text()).contains(why);
    JsonObject half = bots(pipeline, 0, 600, "Bot").with("owner", new JsonString("ours"));
    assertThat(admin.post("/api/plan", half).json().has("apply_refused")).isFalse();

    Pipeline pulled = pipeline.in("labels-" + pipeline.org());
    says(pulled.run("pull"), 0, ": 1200\n");
    String[] told = {"1200 unchanged", "Apply would be refused: An apply writes at most 1,000"};
    says(pulled.run("plan", "--no-effects", "--owner", "ours"), 0, told);
  }

  private static JsonObject bots(Pipeline pipeline, int first, int count, String name) {
    var resources = new ArrayList<JsonValue>();
    for (int i = first; i < first + count; i++) {
      resources.add(
          Calls.json("{'kind': 'Passport', 'slug': 'bot-%d', 'name': '%s'}".formatted(i, name)));
    }
    return JsonObject.builder()
        .put("organization", pipeline.org())
        .put("resources", new JsonArray(resources))
        .build();
  }
}

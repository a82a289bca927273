package dev.safeconduct.deploy;

import static dev.safeconduct.deploy.Pipeline.BOT;
import static dev.safeconduct.deploy.Pipeline.EVERYTHING;
import static dev.safeconduct.deploy.Pipeline.pack;
import static dev.safeconduct.deploy.Pipeline.packId;
import static dev.safeconduct.deploy.Pipeline.says;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An organization as files: what plan, apply and pull do with a real service on each store. */
@Tag("slow")
final class DeployTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  @TempDir private static Path folder;

  private static Pipeline pipeline(EachStore store) {
    return Pipeline.of(services, folder, store);
  }

  @ParameterizedTest
  @EnumSource
  void planShowsApplyWritesAndTheSecondApplyChangesNothing(EachStore store) {
    Pipeline pipeline = pipeline(store).write("bot.yaml", BOT);
    says(
        pipeline.run("plan"),
        2,
        "+ Passport support-bot",
        "1 to create, 0 to change, 0 to remove, 0 unchanged");
    assertThat(pipeline.records("passport_issued").size()).isZero();
    says(pipeline.run("apply", "--revision", "abc123"), 0, "Applied: 1 created");
    says(pipeline.run("plan"), 0, "No changes");
    int records = pipeline.records("config").size();
    says(pipeline.run("apply", "--revision", "abc124"), 0, "No changes");
    assertThat(pipeline.records("config").size()).isEqualTo(records);
    assertThat(pipeline.records("config").toString()).contains("files_applied", "abc123");
    assertThat(pipeline.records("passport_issued").size()).isEqualTo(1);

    pipeline.write("bot.yaml", BOT.replace("10", "5"));
    says(pipeline.run("plan"), 2, "~ limits.messaging.send.msgs_per_day: 10 -> 5");
    says(pipeline.run("apply"), 0);
    says(pipeline.run("plan"), 0);
    assertThat(pipeline.records("passport_updated").size()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aFaultInTheLastFileWritesNothing(EachStore store) {
    Pipeline pipeline =
        pipeline(store)
            .write("a.yaml", BOT)
            .write("b.yaml", "---\nkind: Passport\nslug: second\nname: 7\n");
    says(pipeline.run("apply"), 1, "b.yaml", "name must be a string");
    assertThat(pipeline.records("passport_issued").size()).isZero();
    pipeline.write("b.yaml", BOT.replace("support-bot", "Not A Slug"));
    says(pipeline.run("plan"), 1, "b.yaml", "slug");
    pipeline.write("b.yaml", "kind: Passports\n");
    says(pipeline.run("plan"), 1, "b.yaml", "kind must be one of");
    pipeline.write("b.yaml", "kind: Passport\n  slug: x: y\n");
    says(pipeline.run("plan"), 1, "b.yaml", "line 2");
    assertThat(pipeline.records("passport_issued").size()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPulledIsUnchangedForAnOrganizationWithEverything(EachStore store) {
    Pipeline pipeline = pipeline(store).write("all.yaml", EVERYTHING);
    pipeline.write("packs/stock/policy.json", pack(pipeline, 10));
    says(pipeline.run("validate"), 0, "6 objects, 0 faults");
    CommandRun applied = pipeline.run("apply", "--owner", "sales");
    says(applied, 0, "5 created, 1 changed");
    assertThat(applied.out()).doesNotContain(System.getenv("PATH"), "T0/B0");
    says(pipeline.run("plan"), 0, "6 unchanged");
    pipeline.write("packs/stock/policy.json", pack(pipeline, 9));
    says(pipeline.run("plan", "--owner", "sales"), 2, "~ Pack", "~ version");
    says(pipeline.run("apply", "--owner", "sales"), 0);
    Reply draft =
        pipeline
            .service()
            .admin()
            .post(
                "/api/orgs/" + pipeline.org() + "/policies",
                StockPack.pack("acme.draft." + pipeline.org().substring(28) + ".v1", 3));
    assertThat(draft.status()).as(draft.toString()).isEqualTo(201);
    assertThat(
            pipeline
                .service()
                .admin()
                .put(
                    "/api/admin/feeds/market_hours",
                    "{\"values\": {\"XFRA\": \"open\"}, \"org_id\": \"" + pipeline.org() + "\"}")
                .status())
        .isEqualTo(200);

    assertThat(
            pipeline
                .service()
                .admin()
                .patch(
                    "/api/passports/" + pipeline.passport("sales").string("agent_id"),
                    "{\"limits\": {\"messaging.send\": {\"msgs_per_day\": 5}}}")
                .status())
        .as("a template that is narrower than its instance by now")
        .isEqualTo(200);
    Reply instance =
        pipeline
            .service()
            .admin()
            .post(
                "/api/passports/" + pipeline.passport("sales").string("agent_id") + "/instances",
                Calls.json("{'platform_id': 'zendesk', 'tenant_id': 'one'}"));
    assertThat(instance.status()).as("an instance made at run time " + instance).isEqualTo(201);
    Pipeline pulled = pipeline.in("pulled-" + pipeline.org());
    says(pulled.run("export"), 0, ": 7\n");
    says(pulled.run("validate"), 0, "7 objects, 0 faults");
    says(pulled.run("plan"), 0, "7 unchanged");
    says(pulled.run("apply"), 0, "No changes");
    says(pulled.run("apply"), 0, "No changes");
    Pipeline operator = pipeline.in("operator-" + pipeline.org()).asOperator();
    says(operator.run("pull", "--org", pipeline.org()), 0, ": 8\n");
    says(operator.run("plan", "--org", pipeline.org()), 0, "8 unchanged");
    says(
        pulled.write("feed.yaml", "kind: Feed\nname: market_hours\nvalues: {}\n").run("plan"),
        1,
        "feed.yaml",
        "operator");
    assertThat(pipeline.service().admin().get("/api/audit?org_id=" + pipeline.org()).text())
        .doesNotContain(System.getenv("PATH"), "T0/B0");
  }

  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aFaultInsideTheTransactionWritesNothing(EachStore store) {
    var files = new StringBuilder(BOT);
    for (int i = 0; i <= 20; i++) {
      files
          .append("---\nkind: Webhook\nsecret: {from_env: PATH}\nurl: https://example.com/")
          .append(i)
          .append("\n");
    }
    Pipeline pipeline = pipeline(store).write("all.yaml", files.toString());
    pipeline.write("packs/stock/policy.json", pack(pipeline, 10));
    says(pipeline.run("apply"), 1, "20 webhooks");
    assertThat(pipeline.bot().status()).isEqualTo(404);
    assertThat(pipeline.records("passport_issued").size()).isZero();
    assertThat(pipeline.records("webhook_changed").size()).isZero();
    assertThat(pipeline.records("policy_changed").size()).isZero();
    assertThat(pipeline.records("config").toString()).doesNotContain("files_applied");
  }

  @ParameterizedTest
  @EnumSource
  void ofPipelinesAtOnceOneWinsAndTheOthersAreTold(EachStore store) throws Exception {
    Pipeline pipeline = pipeline(store).write("bot.yaml", BOT);
    says(pipeline.run("apply"), 0);
    Calls deploy =
        pipeline
            .service()
            .nobody()
            .with("Authorization", "Bearer " + Files.readString(pipeline.token()).strip());
    List<String> states =
        IntStream.range(0, 8)
            .mapToObj(i -> deploy.post("/api/plan", resource(11 + i)).string("state"))
            .toList();
    assertThat(states).as("each plan has a state").doesNotHaveDuplicates();
    List<Integer> statuses =
        AtOnce.run(
            8,
            i ->
                deploy
                    .post(
                        "/api/apply",
                        resource(11 + i).with("expected_state", new JsonString(states.get(i))))
                    .status());
    assertThat(statuses).containsOnlyOnce(200).containsOnly(200, 409);
    assertThat(pipeline.records("passport_updated").size()).isEqualTo(1);
    says(pipeline.run("apply", "--expect", states.getFirst()), 1, "Plan again");
  }

  private static JsonObject resource(int most) {
    return Calls.json(
        "{'resources': [{'kind': 'Passport', 'slug': 'support-bot', 'limits': {'messaging.send':"
            + " {'msgs_per_day': "
            + most
            + "}}}]}");
  }

  @ParameterizedTest
  @EnumSource
  void pruneRemovesOnlyWhatHasTheLabel(EachStore store) {
    Pipeline pipeline = pipeline(store).write("bot.yaml", BOT);
    pipeline.write("mine.yaml", EVERYTHING);
    pipeline.write("packs/stock/policy.json", pack(pipeline, 10));
    says(pipeline.run("apply", "--owner", "ours"), 0);
    Pipeline other = pipeline.in("other-" + pipeline.org());
    other.write("x.yaml", BOT.replace("support-bot", "another"));
    says(other.run("apply", "--owner", "theirs", "--prune"), 0, "0 removed");
    says(other.run("plan", "--prune"), 1, "owner");
    other.write("x.yaml", BOT);
    for (String command : List.of("plan", "apply")) {
      says(other.run(command, "--owner", "theirs", "--prune"), 1, "has the label ours");
    }
    says(other.run("plan", "--owner", "theirs", "--prune", "--take-over"), 2, "- Passport another");
    Pipeline rest = pipeline.in("rest-" + pipeline.org()).write("bot.yaml", BOT);
    says(rest.run("plan", "--owner", "ours"), 0);
    says(rest.run("apply", "--owner", "ours", "--prune"), 0, "5 removed");
    says(rest.run("plan", "--owner", "ours", "--prune"), 0, "0 to remove");
    assertThat(pipeline.bot().string("status")).isEqualTo("active");
    assertThat(pipeline.passport("another").string("status")).isEqualTo("active");
    assertThat(pipeline.passport("sales-eu").string("status")).isEqualTo("suspended");
    assertThat(pipeline.service().admin().get("/api/webhooks?org_id=" + pipeline.org()).text())
        .doesNotContain("hooks.example.com");
  }

  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aChangeByHandIsShownAndOtherOrganizationsAreNotReached(EachStore store) {
    Pipeline pipeline = pipeline(store).write("bot.yaml", BOT);
    says(pipeline.run("apply", "--owner", "ours"), 0);
    String path = "/api/passports/" + pipeline.bot().string("agent_id");
    assertThat(pipeline.service().admin().patch(path, "{\"name\": \"By hand\"}").status())
        .isEqualTo(200);
    says(
        pipeline.run("plan", "--owner", "ours"),
        2,
        "changed by hand since the last apply: name",
        "~ name: \"By hand\" -> \"Support bot\"");
    assertThat(pipeline.service().admin().get("/api/resources?org_id=" + pipeline.org()).text())
        .contains("\"changed_by_hand\":[\"name\"]", "\"managed_by\":\"ours\"");
    says(pipeline.run("plan", "--owner", "theirs", "--take-over"), 2, "The label was ours");
    says(pipeline.run("apply", "--owner", "theirs", "--take-over"), 0);
    assertThat(pipeline.records("config").toString()).contains("taken_over");
    says(pipeline.run("apply", "--owner", "ours", "--take-over"), 0);
    Pipeline nobodys = pipeline.in("nobodys-" + pipeline.org());
    nobodys.write("bot.yaml", BOT.replace("Support bot", "Another"));
    for (String command : List.of("plan", "apply")) {
      says(nobodys.run(command), 1, "has the label ours");
      says(nobodys.run(command, "--take-over"), 1, "owner");
    }
    nobodys.write("bot.yaml", "kind: Passport\nslug: support-bot\n");
    says(nobodys.run("apply", "--revision", "abc125"), 0, "No changes");
    assertThat(pipeline.service().admin().get("/api/resources?org_id=" + pipeline.org()).text())
        .doesNotContain("abc125");
    says(pipeline.run("apply"), 0);
    says(pipeline.run("plan"), 0);
    assertThat(pipeline.service().admin().get("/api/resources?org_id=" + pipeline.org()).text())
        .contains("\"changed_by_hand\":[]", "\"managed_by\":\"ours\"");

    Pipeline other = pipeline(store);
    says(pipeline.run("plan", "--org", other.org()), 1, "rganization");
    says(pipeline.run("apply", "--org", other.org()), 1, "rganization");
    assertThat(other.bot().status()).isEqualTo(404);
    Pipeline operator = other.write("bot.yaml", BOT).asOperator();
    says(operator.run("apply"), 1, "organization is missing");
    says(operator.run("apply", "--org", other.name()), 0, "1 created");
    assertThat(other.bot().status()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource
  void aPlanShowsWhichDecisionsWouldChange(EachStore store) {
    Pipeline pipeline = pipeline(store).write("bot.yaml", BOT);
    says(pipeline.run("apply"), 0);
    String agent = pipeline.bot().string("agent_id");
    for (int i = 0; i < 3; i++) {
      Reply decided =
          pipeline
              .service()
              .admin()
              .post(Questions.MESSAGE + "?org_id=" + pipeline.org(), Questions.message(agent));
      assertThat(decided.json().isTrue("allow")).as(decided.toString()).isTrue();
    }
    pipeline.write("bot.yaml", BOT.replace("10", "1"));
    says(pipeline.run("plan"), 2, "of 3 decisions in the last 24 hours, 2 would change");
    Path token = pipeline.readOnly();
    says(pipeline.run(token, "plan", "--org", pipeline.org()), 2, "2 would change");
    says(pipeline.run(token, "apply", "--org", pipeline.org()), 1, "read-only");
  }

  @ParameterizedTest
  @EnumSource
  void theConsoleSaysWhatFilesManageAndWhatWasChangedByHand(EachStore store) {
    Pipeline pipeline = pipeline(store).asOperator();
    TestService service = pipeline.service();
    pipeline.write("bot.yaml", BOT.replace("support-bot", "shown-bot"));
    says(
        pipeline.run("apply", "--org", service.org(), "--owner", "ours", "--revision", "4f2a9c1"),
        0);
    String agent =
        service
            .admin()
            .get("/api/passports/by-slug/shown-bot?org_id=" + service.org())
            .string("agent_id");
    Calls console = service.operator();
    pipeline.write("packs/stock/policy.json", pack(pipeline, 10));
    pipeline.write(
        "hook.yaml",
        "kind: Webhook\nurl: https://hooks.example.com/x\nsecret: {from_env: PATH}\nactive: true\n");
    says(pipeline.run("apply", "--org", service.org(), "--owner", "ours"), 0);
    String hook =
        ((JsonObject)
                service
                    .admin()
                    .get("/api/resources?organization=" + service.org())
                    .json()
                    .array("managed")
                    .orElseThrow()
                    .elements()
                    .getLast())
            .string("object_id")
            .orElseThrow();
    assertThat(console.get("/console/webhooks/" + hook).text())
        .contains("Managed by code: ours.")
        .doesNotContain("changed by hand");
    assertThat(service.admin().patch("/api/webhooks/" + hook, "{\"active\": false}").status())
        .isEqualTo(200);
    assertThat(console.get("/console/webhooks/" + hook).text())
        .contains("changed by hand")
        .doesNotContain("changed by hand: .");
    assertThat(console.get("/console/policies/" + packId(pipeline)).text())
        .contains("Managed by code: ours.");
    assertThat(console.get("/console/passports/" + agent).text())
        .contains("Managed by code", "ours, revision 4f2a9c1")
        .doesNotContain("changed by hand");
    assertThat(service.admin().patch("/api/passports/" + agent, "{\"role\": \"tester\"}").status())
        .isEqualTo(200);
    assertThat(console.get("/console/passports/" + agent).text()).doesNotContain("changed by hand");
    assertThat(service.admin().patch("/api/passports/" + agent, "{\"name\": \"X\"}").status())
        .isEqualTo(200);
    assertThat(console.get("/console/passports/" + agent).text())
        .contains("Managed by code, changed by hand");
  }
}

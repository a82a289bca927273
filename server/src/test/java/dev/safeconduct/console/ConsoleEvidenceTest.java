package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the console shows of what it cannot see for itself: erased records, cases, other nodes. */
final class ConsoleEvidenceTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls person = service.operator();

  private static String shown(String path) {
    Reply reply = person.get(path);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.text();
  }

  @Test
  void anErasedDecisionSaysWhenAndWhyAndThatItsPlaceIsProven() {
    String agent = ConsoleRig.agent(service, "Forgotten");
    String decision = ConsoleRig.asks(service, agent, "git secret-word").string("decision_id");
    assertThat(shown("/console/decisions/" + decision)).contains("signature fits", "secret-word");
    Reply erased =
        service.admin().delete("/api/audit/" + decision + "?reason=" + Formats.url("they asked"));
    assertThat(erased.status()).as(erased.toString()).isEqualTo(200);

    String page = shown("/console/decisions/" + decision);

    assertThat(page)
        .contains("Erased decision", "they asked", "by <bdi>the admin token</bdi>")
        .contains("✓ in the log", "The log still proves")
        .doesNotContain("✕ signature", "secret-word", agent);
    String place =
        Long.toString(
            Questions.number(service.owner().get("/api/audit/" + decision).json(), "log_index"));
    assertThat(page).contains("<dd>" + place + "</dd>");
    assertThat(shown("/console/decisions"))
        .contains("Its content was erased", "<span class=\"pill\">erased</span>");
    assertThat(shown("/console/audit")).contains("erased");
  }

  @Test
  void aPolicyShowsItsCasesAndWhichRulesTheyCover() {
    String page = shown("/console/policies/system.command.execute.v1");
    assertThat(page)
        .containsPattern("[0-9]+ cases passed; ([0-9]+) of \\1 rules covered")
        .contains("✓ covered", "denied by it")
        .doesNotContain("not covered", "✕ failed", "coverage of the rules is unknown");
    assertThat(shown("/console/policies")).contains("system.command.execute.v1");
  }

  /** Every pack's cases hold, as they do on the command line. */
  @Test
  void everyPolicysCasesAreSound() {
    Reply packs = service.nobody().get("/api/policies");
    for (JsonValue each : (JsonArray) packs.value()) {
      String id = ((JsonObject) each).string("id").orElseThrow();
      assertThat(shown("/console/policies/" + id))
          .as(id)
          .contains("✓ passed")
          .doesNotContain("○ not covered");
    }
  }

  @Test
  void casesOfOnesOwnRunByAnyPolicyAndNothingIsKept() {
    String own = "/api/orgs/" + service.org() + "/policies";
    var pack =
        service
            .owner()
            .get("/api/policies/system.command.execute.v1")
            .json()
            .without("policy_id")
            .with("id", new dev.safeconduct.json.JsonString("own.command.v1"));
    Reply made = person.post(own, pack);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    String path = "/console/policies/own.command.v1";
    assertThat(shown(path)).contains("Custom policies have no stored cases");
    String passport =
        "\"passport\": {\"capabilities\": [{\"id\": \"system.command.execute\"}],"
            + " \"limits\": {\"system.command.execute\": {\"allowed_commands\": [\"git\"]}}}";
    String cases =
        "[{\"name\": \"git runs\", "
            + passport
            + ", \"context\": {\"command\": \"git log\"}, \"allow\": true},"
            + "{\"name\": \"<b>rm</b> runs\", "
            + passport
            + ", \"context\": {\"command\": \"rm x\"}, \"allow\": true}]";

    Reply run = pasted(path, cases);

    assertThat(run.status()).isEqualTo(200);
    assertThat(run.text())
        .contains("1 of 2 cases failed", "git runs")
        .contains("Expected an allow, was a deny, oap.command_not_allowed")
        .contains("&lt;b&gt;rm&lt;/b&gt; runs")
        .doesNotContain("<b>rm</b>");
    assertThat(pasted(path, "no json").status()).isEqualTo(400);
    assertThat(pasted(path, "no json").text()).contains("The cases cannot be read", "no json");
    String many = "{\"passport\": {}, \"context\": {}, \"allow\": false}\n".repeat(501);
    assertThat(pasted(path, many).text()).contains("At most 500 steps");
    assertThat(shown(path)).doesNotContain("git runs");
  }

  private static Reply pasted(String path, String cases) {
    String csrf = person.get("/api/auth/me").string("csrf_token");
    return Pages.post(person, path + "/cases", Pages.form(csrf, Map.of("cases", cases)));
  }

  /** A node that stops tells so; one that is killed is missed. */
  @Test
  void theOverviewTellsOfNodesThatShareADatabase() throws Exception {
    assertThat(shown("/console")).doesNotContain("Nodes");
    var clock = new MovableClock();
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            PostgresServer.shared().freshDatabase(),
            "SAFECONDUCT_MASTER_KEY",
            "a master key of the tests, long enough");
    try (TestService first = TestService.start(settings, clock)) {
      Calls watching = first.operator();
      assertThat(watching.get("/console").text()).contains("1 node active, last seen within 1 s");
      try (TestService second = TestService.start(settings, clock)) {
        assertThat(second.nobody().get("/healthz").status()).isEqualTo(200);
        assertThat(watching.get("/console").text()).contains("2 nodes active, last seen");
      }
      assertThat(watching.get("/console").text()).contains("1 node active, last seen");
    }
    // This one never says that it stops: its row is as a killed process leaves it.
    try (var connection =
            java.sql.DriverManager.getConnection(
                "jdbc:postgresql://"
                    + settings.getOrDefault("DATABASE_URL", "").replaceFirst(".*@", ""),
                "postgres",
                "unused");
        var statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE node SET stopped_at = NULL");
    }
    clock.advance(Duration.ofMinutes(7));
    try (TestService third = TestService.start(settings, clock)) {
      assertThat(third.signedIn(TestService.OPERATOR).get("/console").text())
          .contains("1 node active", "▲ problem", "last seen 7 min ago");
    }
  }
}

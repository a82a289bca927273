package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.Cookie;
import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What people set up in the console, each by its pages and then seen to be true by the API. */
@Tag("slow")
final class ConsolePagesTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final List<Cookie> session =
      ConsoleRig.session(service, ConsoleRig.owner(service));

  @SuppressWarnings("NullAway.Init") // set before each test
  private Chromium.Profile profile;

  @SuppressWarnings("NullAway.Init")
  private Page page;

  @BeforeEach
  void open() {
    profile = Chromium.profile();
    page = ConsoleRig.enter(profile, session);
  }

  @AfterEach
  void close() {
    try {
      assertThat(profile.complaints()).isEmpty();
    } finally {
      profile.close();
    }
  }

  private void go(String path) {
    page.navigate(service.base() + path);
  }

  private Locator button(String name) {
    return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
        .first();
  }

  @Test
  void aPassportIsMadeFromAPreset() {
    go("console/passports/new");
    page.getByLabel("Name").fill("By its job");
    button("Issue passport").click();
    assertThat(page.locator("h1")).hasText("Capabilities and limits");
    page.getByLabel("Allowed commands").fill("git");
    button("Save").click();
    String narrow = page.url().replaceAll(".*/passports/([^?]+).*", "$1");
    assertThat(ConsoleRig.allows(service, narrow)).isTrue();
    go("console/passports/new");
    page.getByLabel("Name").fill("From a preset");
    page.getByText("Claude Code agent").click();
    button("Issue passport").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Passport issued");
    assertThat(page.locator("h1")).hasText("From a preset");
    String agent = page.url().replaceAll(".*/passports/([^?]+).*", "$1");
    assertThat(service.owner().get("/api/passports/" + agent).string("status")).isEqualTo("active");
  }

  @Test
  void aKeyIsShownOnceAndWorksUntilItIsRevoked() {
    go("console/keys");
    page.getByText("Create a key").click();
    page.getByLabel("Name").first().fill("Shown once");
    button("Create key").click();
    String key = page.locator("#secret").textContent();
    assertThat(service.withKey(key).get("/api/auth/me").status()).isEqualTo(200);

    page.getByText("I have copied it").click();
    assertThat(page.content()).doesNotContain(key).contains("Shown once");
    Locator row = page.locator("tr", new Page.LocatorOptions().setHasText("Shown once"));
    row.getByText("Manage").click();
    row.getByLabel("Name").fill("Renamed");
    row.getByLabel("Allowed addresses").fill("192.0.2.0/24");
    row.getByLabel("Expires on").fill("2100-01-01");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Key changed");
    assertThat(service.withKey(key).get("/api/auth/me").status())
        .as("another address")
        .isEqualTo(403);
    row = page.locator("tr", new Page.LocatorOptions().setHasText("Renamed"));
    row.getByText("Manage").click();
    assertThat(row.getByLabel("Expires on")).hasValue("2100-01-01");
    row.getByLabel("Allowed addresses").fill("");
    row.getByLabel("Expires on").fill("");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Key changed");
    assertThat(service.withKey(key).get("/api/auth/me").status()).isEqualTo(200);
    row.getByText("Manage").click();
    row.getByLabel("Type revoke to confirm").fill("revoke");
    row.getByText("Revoke", new Locator.GetByTextOptions().setExact(true)).click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("revoked");
    assertThat(service.withKey(key).get("/api/auth/me").status()).isEqualTo(401);
  }

  @Test
  void anOperatorsTokenIsShownOnceAndWorksUntilItIsRevoked() {
    go("console/tokens");
    page.getByLabel("Name").fill("Watcher");
    button("Create token").click();
    String token = page.locator("#secret").textContent();
    Calls watcher = service.nobody().with("Authorization", "Bearer " + token);
    assertThat(watcher.get("/api/orgs").status()).isEqualTo(200);
    assertThat(watcher.post("/api/orgs", "{\"name\": \"Not by a reader\"}").status())
        .isEqualTo(403);
    page.getByText("I have copied it").click();
    assertThat(page.content()).doesNotContain(token);
    Locator row = page.locator("tr", new Page.LocatorOptions().setHasText("Watcher"));
    row.getByText("Revoke…").click();
    row.getByLabel("Type revoke to confirm").fill("revoke");
    row.getByText("Revoke", new Locator.GetByTextOptions().setExact(true)).click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Token revoked");
    assertThat(watcher.get("/api/orgs").status()).isEqualTo(401);
  }

  @Test
  void aWebhooksEventsAndFormatAreEdited() {
    String hook =
        service
            .owner()
            .post("/api/webhooks", "{\"url\": \"https://hooks.example.com/edited\"}")
            .json()
            .object("webhook")
            .orElseThrow()
            .string("webhook_id")
            .orElseThrow();
    go("console/webhooks/" + hook);
    page.getByText("Edit…").click();
    page.getByLabel("status_change").uncheck();
    page.getByLabel("deny.spike").check();
    page.getByLabel("Format").selectOption("slack");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Endpoint changed");
    assertThat(page.locator(".lead")).containsText("Receives deny.spike (slack)");
  }

  @Test
  void aDeadLetterIsResent() throws IOException {
    var arrived = new AtomicInteger();
    var up = new AtomicInteger(500);
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          arrived.incrementAndGet();
          exchange.sendResponseHeaders(up.get(), -1);
          exchange.close();
        });
    receiver.start();
    try (TestService other =
            TestService.start(
                java.util.Map.of(
                    "WEBHOOK_PRIVATE_NETWORKS", "allow", "WEBHOOK_RETRY_ATTEMPTS", "0"));
        Chromium.Profile mine = Chromium.profile()) {
      String agent = ConsoleRig.agent(other, "Told of");
      Page open = ConsoleRig.enter(mine, ConsoleRig.session(other, ConsoleRig.owner(other)));
      open.navigate(other.base() + "console/webhooks");
      open.getByLabel("URL").fill("http://127.0.0.1:" + receiver.getAddress().getPort());
      open.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Add endpoint")).click();
      assertThat(open.locator("#secret")).not().isEmpty();
      assertThat(
              other
                  .owner()
                  .put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}")
                  .status())
          .isEqualTo(200);
      up.set(204);
      open.navigate(other.base() + "console/webhooks");
      assertThat(open.locator(".lead")).containsText("1 endpoint has failed deliveries");
      open.getByText("▲ failed").click();
      assertThat(open.locator(".lead")).containsText("1 delivery failed");
      open.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Resend").setExact(true))
          .click();
      assertThat(open.getByRole(AriaRole.STATUS)).containsText("delivered");
      assertThat(arrived.get()).isEqualTo(2);
    } finally {
      receiver.stop(0);
    }
  }

  @Test
  void aPersonApprovesWhatAnAgentMayThenDoOnce() {
    String agent = ConsoleRig.sender(service, "Sender");
    String context =
        "{\"context\": {\"agent_id\": \""
            + agent
            + "\", \"channel_id\": \"team\","
            + " \"message\": \"Release it?\", \"message_type\": \"text\"}";
    String path = "/api/verify/policy/messaging.message.send.v1";
    String id =
        service
            .owner()
            .post(path, context + "}")
            .json()
            .object("approval")
            .orElseThrow()
            .string("approval_id")
            .orElseThrow();
    go("console");
    assertThat(page.locator(".side .badge")).containsText("1");
    page.locator(".side").getByText("Approvals").click();
    page.getByRole(
            AriaRole.LINK, new Page.GetByRoleOptions().setName("Review the request of Sender"))
        .click();
    assertThat(page.locator("main")).containsText("Release it?");
    page.getByLabel("Comment").fill("yes");
    button("Approve this once").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Approved");
    String named = context + ", \"approval_id\": \"" + id + "\"}";
    assertThat(service.owner().post(path, named).json().isTrue("allow")).isTrue();
    assertThat(service.owner().post(path, named).json().isTrue("allow")).isFalse();
  }

  @Test
  void thePlaygroundTellsWhatWouldBeDecidedAndWhy() {
    String agent = ConsoleRig.agent(service, "Played with");
    go("console/playground?agent_id=" + agent);
    page.getByLabel("Command").first().fill("rm -rf /");
    button("Send").click();
    assertThat(page.locator("#result")).containsText("oap.command_not_allowed");
    assertThat(page.locator("#result li.bad")).hasCount(1);
    assertThat(page.locator("#result .curl code")).containsText("rm -rf /");
    page.getByLabel("Command").first().fill("git log");
    button("Send").click();
    assertThat(page.locator("#result")).containsText("oap.allowed");
    assertThat(service.owner().get("/api/audit?kind=decision&agent_id=" + agent).text())
        .contains("\"dry_run\":true")
        .doesNotContain("\"dry_run\":false");
  }

  /** What its template forbids, no change of the instance's own limits allows. */
  @Test
  void aPreviewOfAnInstanceKeepsToItsTemplates() {
    String template = ConsoleRig.agent(service, "Template");
    String instance =
        service
            .owner()
            .post("/api/passports/" + template + "/instances", "{\"name\": \"Instance\"}")
            .string("agent_id");
    service
        .owner()
        .patch(
            "/api/passports/" + template,
            "{\"limits\": {\"system.command.execute\": {\"allowed_commands\": [\"make\"]}}}");
    assertThat(ConsoleRig.allows(service, instance)).as("its template forbids it").isFalse();
    go("console/passports/" + instance + "/edit");
    button("Preview").click();
    assertThat(page.locator("#preview")).containsText("None of the");
    assertThat(page.locator("#preview")).containsText("would change");

    String decision = ConsoleRig.asks(service, instance, "git log").string("decision_id");
    go("console/decisions/" + decision);
    assertThat(page.locator(".timeline li.bad")).containsText("Template ap_");
    assertThat(page.locator(".timeline li.bad")).containsText("Command allowlist");
  }

  @Test
  void limitsAreEditedAfterALookAtYesterday() {
    String agent = ConsoleRig.agent(service, "Edited");
    ConsoleRig.asks(service, agent, "git status");
    ConsoleRig.asks(service, agent, "npm test");
    go("console/passports/" + agent + "/edit");
    Locator allowed = page.getByLabel("Allowed commands").first();
    assertThat(allowed).hasValue("git\nmake");
    allowed.fill("npm");
    button("Preview").click();
    assertThat(page.locator("#preview"))
        .containsText("2 of 2 decisions of the last 24 hours would change");
    assertThat(page.locator("#preview")).containsText("1 would be allowed, 1 denied");
    assertThat(ConsoleRig.allows(service, agent)).as("nothing is saved yet").isTrue();
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Saved");
    assertThat(ConsoleRig.allows(service, agent)).isFalse();
    assertThat(ConsoleRig.asks(service, agent, "npm test").json().isTrue("allow")).isTrue();
  }

  @Test
  void aDenialLeadsToThePlaygroundAndToTheLimit() {
    String agent = ConsoleRig.agent(service, "Denied");
    String decision = ConsoleRig.asks(service, agent, "npm test").string("decision_id");
    go("console/decisions/" + decision);
    page.getByText("Try again in the playground with this context").click();
    assertThat(page.getByLabel("Command").first()).hasValue("npm test");
    button("Send").click();
    assertThat(page.locator("#result")).containsText("oap.command_not_allowed");
    page.getByText("Link to this request").click();
    assertThat(page.getByLabel("Command").first()).hasValue("npm test");
    assertThat(page.getByLabel("Agent").locator("option:checked")).hasText("Denied");
    page.getByText("As JSON").click();
    page.getByLabel("Context").fill("{\"command\": \"make test\"}");
    button("Send the JSON").click();
    assertThat(page.locator("#result")).containsText("oap.allowed");

    go("console/decisions/" + decision);
    page.getByText("Open the limit “allowed commands”").click();
    assertThat(page.locator("main")).containsText("is not in allowed_commands");
    Locator limit = page.locator(":target");
    assertThat(limit).hasValue("git\nmake");
    limit.fill("git\nmake\nnpm");
    button("Preview").click();
    assertThat(page.locator("#preview"))
        .containsText("1 of 1 decision of the last 24 hours would change: 1 would be allowed");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Saved");
    assertThat(ConsoleRig.asks(service, agent, "npm test").json().isTrue("allow")).isTrue();
  }

  @Test
  void aCapabilityIsAddedWithItsLimitsInMajorUnits() {
    String agent = ConsoleRig.agent(service, "Paying");
    go("console/passports/" + agent + "/edit");
    assertThat(page.locator("fieldset")).hasCount(1);
    page.getByLabel("Add a capability").fill("payments.charge");
    button("Add").click();
    assertThat(page.locator("fieldset")).hasCount(2);
    Locator limits = page.getByRole(AriaRole.GROUP, named("Currency limits"));
    limits.getByLabel("Currency").fill("EUR");
    limits.getByLabel("Max per tx").fill("19.999");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("at most 2 decimals");
    go("console/passports/" + agent + "/edit?add=payments.charge");
    limits.getByLabel("Currency").fill("eur");
    limits.getByLabel("Max per tx").fill("19.99");
    button("Preview").click();
    assertThat(page.locator("#preview")).not().isEmpty();
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Saved");
    assertThat(service.owner().get("/api/passports/" + agent).text())
        .contains("\"EUR\":{\"max_per_tx\":1999}", "\"allowed_commands\":[\"git\",\"make\"]");
    go("console/passports/" + agent + "/edit");
    assertThat(limits.getByLabel("Max per tx").first()).hasValue("19.99");
    assertThat(limits.getByLabel("Currency")).hasCount(2);
  }

  private static Page.GetByRoleOptions named(String name) {
    return new Page.GetByRoleOptions().setName(name);
  }

  @Test
  void settingsForHooksAreEditedAndRemoved() {
    String agent = ConsoleRig.agent(service, "Hooked");
    go("console/passports/" + agent + "/edit");
    page.getByText("Hooks of coding agents").click();
    page.getByLabel("Addresses of MCP servers").fill("my github  https://mcp.example.com/x?a=b");
    page.getByLabel("Further tools").fill("Skill none\nDeploy  code.release.publish");
    page.getByLabel("Run without asking").fill("data.file.read");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Saved");
    assertThat(page.locator("main")).containsText("my github https://mcp.example.com/x?a=b");
    assertThat(service.owner().get("/api/passports/" + agent).json().get("hooks"))
        .isEqualTo(
            Calls.json(
                """
                {'servers': {'my github': 'https://mcp.example.com/x?a=b'},
                 'tools': {'Skill': 'none', 'Deploy': 'code.release.publish'},
                 'auto_approve': ['data.file.read']}
                """));
    go("console/passports/" + agent + "/edit");
    page.getByLabel("Run without asking").fill("data.file.reed");
    button("Save").click();
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("hooks.auto_approve[0]");
    assertThat(page.getByLabel("Run without asking")).hasValue("data.file.reed");
    for (String field :
        List.of("Addresses of MCP servers", "Further tools", "Run without asking")) {
      page.getByLabel(field).fill("");
    }
    button("Save").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Saved");
    assertThat(service.owner().get("/api/passports/" + agent).json().has("hooks")).isFalse();
  }

  @Test
  void theFirstStepsShowTheFirstDecisionArrive() {
    go("console/first-run");
    page.getByLabel("Agent name").fill("Guided");
    button("Issue passport").click();
    assertThat(page.locator("#live-state")).hasText("live");
    String command = page.locator(".snippet code").first().textContent();
    String key = command.replaceAll("(?s).*X-API-Key: (sck_[A-Za-z0-9]+).*", "$1");
    assertThat(
            service
                .withKey(key)
                .post(ConsoleRig.COMMANDS, "{\"context\": {\"command\": \"git status\"}}")
                .json()
                .isTrue("allow"))
        .isTrue();
    assertThat(page.locator("#arrived")).isVisible();
    assertThat(page.locator("#live li").first()).containsText("git status");
  }

  @Test
  void peopleAreInvitedAndChanged() {
    go("console/people");
    page.getByText("Invite a person").click();
    page.getByLabel("Email address").fill("new@example.com");
    button("Invite").click();
    String link = page.locator("#secret").textContent();
    page.getByText("I have copied it").click();
    Locator row = page.locator("tr", new Page.LocatorOptions().setHasText("new@example.com"));
    row.getByText("Manage").first().click();
    row.getByRole(AriaRole.COMBOBOX).selectOption("auditor");
    row.getByText("Change role").click();
    assertThat(page.locator("tr", new Page.LocatorOptions().setHasText("new@example.com")))
        .containsText("auditor");
    try (Chromium.Profile invited = Chromium.profile()) {
      Page own = invited.page();
      own.navigate(service.base() + link.replaceFirst(".*/password", "password"));
      own.getByLabel("New password").fill(TestService.PASSWORD);
      own.getByRole(AriaRole.BUTTON).click();
      assertThat(own.getByRole(AriaRole.STATUS)).containsText("Your password is set");
      assertThat(own.locator(".who").first()).containsText("new@example.com");
    }
  }

  @Test
  void peopleAndKeysAreNamedWhereTheyActed() {
    String agent = ConsoleRig.agent(service, "Acted on");
    String decision = ConsoleRig.asks(service, agent, "git push").string("decision_id");
    go("console/decisions/" + decision);
    assertThat(page.getByRole(AriaRole.LINK, named("key “First key”")))
        .hasAttribute("href", Pattern.compile(".*/keys#key_.*"));
    go("console/passports/" + agent + "?do=suspended");
    page.getByLabel("Reason").first().fill("a test");
    button("Suspend now").click();
    assertThat(page.locator(".timeline li").first()).containsText(TestService.OPERATOR);
    go("console/audit");
    assertThat(page.locator("tbody tr").first()).containsText("Acted on");
    page.locator("tbody tr").first().getByText(TestService.OPERATOR).click();
    assertThat(page.locator("tr:target")).containsText(TestService.OPERATOR);
  }
}

package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What people do in the console, on a phone and with the keyboard alone. */
@Tag("slow")
final class ConsoleJobsTest {
  private static final int MOST_TABS = 150;
  private static final String CLAIMER = "claimer@example.com";
  private static final String PACK = "acme.stock.v1";

  /** Returns the kind of the element that has the focus, and what names it. */
  private static final String FOCUSED =
      """
      () => {
        const e = document.activeElement;
        const field = e.matches('input:not([type=checkbox]), textarea, select, [role=textbox]');
        const names = [...(e.labels ?? [])].map(label => label.textContent).join(' ');
        return (field ? 'field ' : e.matches('a, button, summary, input') ? 'action ' : 'region ') + names + ' ' + (e.ariaLabel ?? '') + ' '
          + (field ? '' : e.textContent);
      }\
      """;

  /** Whether the element that has the focus is not cut off at the sides; an editor scrolls. */
  private static final String WHOLE =
      """
      () => {
        const box = document.activeElement.getBoundingClientRect();
        return document.activeElement.matches('[role=textbox]')
          || box.width > 0 && box.left >= 0 && box.right <= document.documentElement.clientWidth;
      }\
      """;

  /**
   * A step is a name to press Enter on, a box to press Space on after {@code -}, a field and its
   * text, keys, or a text to wait for after {@code until}.
   */
  record Job(String path, List<String> steps, String done) {}

  static final List<Job> JOBS =
      List.of(
          new Job(
              "passports/new",
              List.of("Name=Phone agent", "Issue passport"),
              "Capabilities and limits"),
          new Job(
              "passports/{agent}/edit",
              List.of("Allowed commands=git", "Preview", "Save"),
              "Saved"),
          new Job("playground?agent_id={agent}", List.of("Command=git log", "Send"), "oap.allowed"),
          new Job("decisions?agent_id={agent}", List.of("Export these"), "complete"),
          new Job("approvals/{approval}", List.of("Comment=yes", "Approve this once"), "Approved"),
          new Job(
              "webhooks",
              List.of("Add an endpoint", "URL=https://hooks.example.com/x", "Add endpoint"),
              "copied it"),
          new Job("keys", List.of("Create a key", "Name=Phone key", "Create key"), "copied it"),
          new Job("keys", List.of("Manage Phone key", "Type revoke=revoke", "Revoke"), "revoked"),
          new Job(
              "people",
              List.of("Invite a person", "Email address=phone@example.com", "Invite"),
              "copied it"),
          new Job("policies/edit?from=web.fetch.v1", List.of("Check and run cases"), "No errors"),
          new Job("policies/edit?from=web.fetch.v1", List.of("The policy=x"), "1 error"),
          new Job("policies/{pack}", List.of("Activate"), "Version activated"),
          new Job("webhooks/{webhook}", List.of("Send test"), "Test sent"),
          new Job("passports/{agent}/narrow", List.of(), "Made from"),
          new Job("", List.of("Control+k", "Search for=On a phone", "On a phone"), "Capabilities"),
          new Job("?since=7d", List.of("The numbers as a table"), "decisions since"),
          new Job(
              "halt",
              List.of("Reason, which=drill", "To confirm, type {org}={org}", "Halt"),
              "Halted. Every request"),
          new Job("halt", List.of("Resume"), "Resumed. The agents can act"),
          new Job(
              "bulk-status",
              List.of(
                  "Agent ids={other}",
                  "New status=suspended",
                  "Show what would change",
                  "until To confirm",
                  "Reason, stored=lost",
                  "To confirm=suspend 1 passport",
                  "Change the status"),
              "Done: suspend 1 passport"),
          new Job("account", List.of("End the session of"), "Session ended"),
          new Job(
              "account",
              List.of("Name by which you=Phone passkey", "Add a passkey", "until kept them"),
              "Recovery codes"),
          new Job(
              "account",
              List.of("Menu", "Sign out", "until Forgot your password", "Sign in with a passkey"),
              "decisions since"),
          new Job(
              "passports/{agent}", List.of("Suspend…", "Reason=lost", "Suspend now"), "Suspended"));

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static Chromium.Profile phone;

  private static final ScriptedReceiver receiver =
      ScriptedReceiver.start((connection, _) -> {
        ScriptedReceiver.Received _ = connection.request();
        connection.send("HTTP/1.1 204 X\r\n\r\n");
      });

  private static String base = "";
  private static Map<String, String> names = Map.of();

  @BeforeAll
  static void start() throws IOException {
    String port = PasskeysInBrowserTest.freePort();
    base = "http://localhost:" + port; // browsers have no passkeys for addresses
    service = TestService.start(WebhookRig.open(Map.of("PORT", port, "BASE_URL", base)));
    phone = Chromium.profile(390, 844, ColorScheme.LIGHT, true);
    String owner = ConsoleRig.owner(service);
    Page page =
        ConsoleRig.enter(
            phone,
            ConsoleRig.session(service, owner).stream()
                .map(cookie -> cookie.setUrl(base))
                .toList());
    PasskeysInBrowserTest.authenticator(page);
    assertThat(ConsoleRig.session(service, owner)).as("another session").isNotEmpty();
    String agent = ConsoleRig.agent(service, "On a phone");
    ConsoleRig.asks(service, agent, "git status");
    Reply pack =
        service.admin().post("/api/orgs/" + service.org() + "/policies", StockPack.pack(PACK, 10));
    assertThat(pack.status()).as(pack.toString()).isEqualTo(201);
    String webhook =
        service
            .owner()
            .post("/api/webhooks", Calls.json("{'url': '" + receiver.url() + "'}"))
            .json()
            .object("webhook")
            .orElseThrow()
            .string("webhook_id")
            .orElseThrow();
    String sender = ConsoleRig.sender(service, "Sender");
    String approval =
        service
            .owner()
            .post(
                "/api/verify/policy/messaging.message.send.v1",
                Calls.json(
                    """
                    {'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'Go',
                                 'message_type': 'text'}}
                    """
                        .formatted(sender)))
            .json()
            .object("approval")
            .orElseThrow()
            .string("approval_id")
            .orElseThrow();
    String key =
        service
            .admin()
            .post(
                "/api/orgs/" + service.org() + "/keys",
                Calls.json("{'name': 'Narrow me', 'scopes': ['read', 'status']}"))
            .string("key_id");
    Reply _ = Issuing.issue(service, "Claimed agent", CLAIMER);
    names =
        Map.of(
            "agent",
            agent,
            "approval",
            approval,
            "webhook",
            webhook,
            "pack",
            PACK,
            "key",
            key,
            "other",
            ConsoleRig.agent(service, "Another one"),
            "org",
            service.admin().get("/api/orgs/" + service.org()).string("name"),
            "claim",
            service.letters().link(CLAIMER, "/claim/").substring(1));
  }

  @AfterAll
  static void stop() {
    phone.close();
    service.close();
    receiver.close();
  }

  @ParameterizedTest
  @FieldSource("JOBS")
  void isDoneByKeyboard(Job job) {
    does(phone.page(), job);
  }

  @Test
  void aKeyIsNarrowedByKeyboard() {
    does(
        phone.page(),
        new Job(
            "keys",
            List.of(
                "Manage Narrow me",
                "Expires on=2030-01-01",
                "Allowed addresses=192.0.2.0/24",
                "- status",
                "Save"),
            "Key changed"));
    JsonObject key =
        service.admin().get("/api/orgs/" + service.org() + "/keys/" + names.get("key")).json();
    assertThat(key.array("scopes").orElseThrow().strings()).containsExactly("read");
    assertThat(key.array("allowed_sources").orElseThrow().strings())
        .containsExactly("192.0.2.0/24");
    assertThat(key.string("expires_at").orElseThrow()).startsWith("2030-01-01");
  }

  @Test
  void anExportIsDownloadedByKeyboard() throws IOException {
    Page page = phone.page();
    does(page, new Job("decisions?agent_id={agent}", List.of("Export these"), "complete"));
    Download download =
        page.waitForDownload(() -> {
          reach(page, "action", "Records");
          page.keyboard().press("Enter");
        });
    assertThat(Files.readString(download.path())).contains(named("{agent}"));
  }

  /** In a browser of their own: whoever claims a passport is signed in then. */
  @Test
  void aPassportIsClaimedByKeyboard() {
    try (var theirs = Chromium.profile(390, 844, ColorScheme.LIGHT, true)) {
      Page page = theirs.page();
      does(
          page,
          new Job(
              "/{claim}",
              List.of("Password=correct horse phone", "Yes, it is mine"),
              "You own this agent"));
      reach(page, "action", "Open the passport");
      page.keyboard().press("Enter");
      awaits(page, "Claimed agent");
    }
  }

  /** Fills in what only the running service knows. */
  private static String named(String text) {
    String filled = text;
    for (Map.Entry<String, String> each : names.entrySet()) {
      filled = filled.replace("{" + each.getKey() + "}", each.getValue());
    }
    return filled;
  }

  private static void does(Page page, Job job) {
    String path = job.path().startsWith("/") ? job.path() : "/console/" + job.path();
    page.navigate(base + named(path).replaceFirst("/(\\?|$)", "$1"));
    for (String step : job.steps()) {
      take(page, named(step));
    }
    awaits(page, job.done());
    assertThat((int) page.evaluate("document.documentElement.scrollWidth"))
        .isLessThanOrEqualTo(390);
  }

  private static void take(Page page, String step) {
    String[] parts = step.split("=", 2);
    if (step.startsWith("Control+")) {
      page.keyboard().press(step);
    } else if (step.startsWith("until ")) {
      awaits(page, step.substring("until ".length()));
    } else if (step.startsWith("- ")) {
      reach(page, "action", step.substring(2));
      page.keyboard().press("Space");
    } else if (parts.length > 1) {
      reach(page, "field", parts[0]);
      page.keyboard().press("Control+a");
      page.keyboard().type(parts[1]);
    } else {
      reach(page, "action", step);
      page.keyboard().press("Enter");
    }
  }

  private static void awaits(Page page, String text) {
    assertThat(page.locator("main"))
        .containsText(text, new LocatorAssertions.ContainsTextOptions().setTimeout(20_000));
  }

  private static void reach(Page page, String kind, String name) {
    for (int i = 0; i < MOST_TABS; i++) {
      page.keyboard().press("Tab");
      String focused = ((String) page.evaluate(FOCUSED)).replaceAll("\\s+", " ");
      if (focused.startsWith(kind) && focused.contains(name)) {
        assertThat(page.evaluate(WHOLE)).as("%s is not cut off", name).isEqualTo(true);
        return;
      }
    }
    throw new AssertionError("the keyboard does not reach " + name + " on " + page.url());
  }
}

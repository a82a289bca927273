package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What people do in the console, on a phone and with the keyboard alone. */
final class ConsoleJobsTest {
  private static final int MOST_TABS = 150;
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

  /** A step is a name to press Enter on, a field and its text, or keys. */
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
          new Job("?since=7d", List.of("The numbers as a table"), "decisions in 7 days"),
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

  private static String webhook = "";
  private static String agent = "";
  private static String approval = "";

  @BeforeAll
  static void start() {
    service = TestService.start(WebhookRig.open(Map.of()));
    phone = Chromium.profile(390, 844, ColorScheme.LIGHT, true);
    ConsoleRig.enter(phone, ConsoleRig.session(service, ConsoleRig.owner(service)));
    agent = ConsoleRig.agent(service, "On a phone");
    ConsoleRig.asks(service, agent, "git status");
    Reply pack =
        service.admin().post("/api/orgs/" + service.org() + "/policies", StockPack.pack(PACK, 10));
    assertThat(pack.status()).as(pack.toString()).isEqualTo(201);
    webhook =
        service
            .owner()
            .post("/api/webhooks", Calls.json("{'url': '" + receiver.url() + "'}"))
            .json()
            .object("webhook")
            .orElseThrow()
            .string("webhook_id")
            .orElseThrow();
    String sender =
        service
            .owner()
            .post(
                "/api/passports",
                Calls.json(
                    """
                    {'name': 'Sender', 'capabilities': [{'id': 'messaging.send'}],
                     'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                       'approval_required': true}}}
                    """))
            .string("agent_id");
    approval =
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
    Page page = phone.page();
    String path =
        job.path()
            .replace("{agent}", agent)
            .replace("{approval}", approval)
            .replace("{webhook}", webhook)
            .replace("{pack}", PACK);
    page.navigate(service.base() + "console" + (path.startsWith("?") ? "" : "/") + path);
    for (String step : job.steps()) {
      if (step.startsWith("Control+")) {
        page.keyboard().press(step);
        continue;
      }
      String[] parts = step.split("=", 2);
      reach(page, (parts.length > 1 ? "field" : "action"), parts[0]);
      if (parts.length > 1) {
        page.keyboard().press("Control+a");
        page.keyboard().type(parts[1]);
      } else {
        page.keyboard().press("Enter");
      }
    }
    assertThat(page.locator("main"))
        .containsText(job.done(), new LocatorAssertions.ContainsTextOptions().setTimeout(20_000));
    assertThat((int) page.evaluate("document.documentElement.scrollWidth"))
        .isLessThanOrEqualTo(390);
  }

  private static void reach(Page page, String kind, String name) {
    for (int i = 0; i < MOST_TABS; i++) {
      page.keyboard().press("Tab");
      String focused = ((String) page.evaluate(FOCUSED)).replaceAll("\\s+", " ");
      if (focused.startsWith(kind) && focused.contains(name)) {
        return;
      }
    }
    throw new AssertionError("the keyboard does not reach " + name + " on " + page.url());
  }
}

package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The console in a real browser: signing in, watching, stopping. */
@Tag("slow")
final class ConsoleTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final String owner = ConsoleRig.owner(service);

  private static final List<Cookie> session = ConsoleRig.session(service, owner);

  @SuppressWarnings("NullAway.Init") // set before each test
  private Chromium.Profile profile;

  @BeforeEach
  void open() {
    profile = Chromium.profile();
  }

  @AfterEach
  void close() {
    try {
      assertThat(profile.complaints()).isEmpty();
    } finally {
      profile.close();
    }
  }

  @Test
  void aWrongPasswordIsSaidAndTheRightOneOpens() {
    Page page = profile.page();
    page.navigate(service.base() + "console/passports?q=x");
    page.getByLabel("Email address").first().fill(owner);
    page.getByLabel("Password").first().fill("wrong password");
    button(page, "Sign in").click();
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("password is wrong");
    page.getByLabel("Password").first().fill(TestService.PASSWORD);
    button(page, "Sign in").click();
    assertThat(page.url()).endsWith("/console/passports?q=x");
    button(page, "Sign out").click();
    assertThat(page.url()).endsWith("/console/sign-in");
    page.navigate(service.base() + "console/passports");
    assertThat(page.url()).contains("/console/sign-in");
  }

  @Test
  void twoClicksSuspendAndTheNextQuestionIsDenied() {
    String agent = ConsoleRig.agent(service, "Click agent");
    assertThat(ConsoleRig.allows(service, agent)).isTrue();
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console/passports?q=" + agent);

    page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Suspend Click agent"))
        .click();
    page.getByLabel("Reason").first().fill("it misbehaves");
    button(page, "Suspend now").click();

    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Suspended");
    assertThat(page.locator(".timeline")).containsText("it misbehaves");
    assertThat(ConsoleRig.allows(service, agent)).isFalse();
  }

  @Test
  void theKeyboardAloneSuspends() {
    String agent = ConsoleRig.agent(service, "Keyboard agent");
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console");
    page.keyboard().press("g");
    page.keyboard().press("p");
    page.waitForURL("**/console/passports");
    page.keyboard().press("/");
    page.keyboard().type(agent);
    page.keyboard().press("Enter");
    page.waitForURL("**/console/passports?q=*");
    page.locator("main").focus();
    String reached = "";
    for (int i = 0; i < 30 && !reached.contains("do=suspended"); i++) {
      page.keyboard().press("Tab");
      reached = String.valueOf(page.evaluate("document.activeElement.href ?? ''"));
    }
    page.keyboard().press("Enter");
    page.waitForURL("**do=suspended*");
    page.keyboard().type("by keyboard");
    page.keyboard().press("Enter");
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Suspended");
    assertThat(ConsoleRig.allows(service, agent)).isFalse();
  }

  @Test
  void aDecisionArrivesWhileSomebodyWatches() {
    String agent = ConsoleRig.agent(service, "Live agent");
    ConsoleRig.asks(service, agent, "git fetch");
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console");
    assertThat(page.locator("#live-state")).hasText("live");
    ConsoleRig.asks(service, agent, "rm -rf /srv/first");
    assertThat(page.locator("#live li").first()).containsText("rm -rf /srv/first");
    page.locator("#live").hover();
    ConsoleRig.asks(service, agent, "rm -rf /srv/second");
    assertThat(page.locator("#live-bar")).hasText("1 new");
    assertThat(page.locator("#live li").first()).containsText("first");
    page.mouse().move(1, 1);
    assertThat(page.locator("#live li").first()).containsText("second");

    page.locator("#live li").first().getByRole(AriaRole.LINK).click();
    assertThat(page.locator("h1")).containsText("rm -rf /srv/second");
    assertThat(page.locator("#proof").locator("..")).containsText("signature fits");
    assertThat(page.locator("#proof").locator("..")).containsText("✓ in the log");
    assertThat(page.locator(".timeline li.bad")).hasCount(1);
    assertThat(page.locator(".timeline li.good").first()).containsText("active");
  }

  @Test
  void decisionsAreFoundByAgentOutcomeReasonTextAndTime() {
    String agent = ConsoleRig.agent(service, "Findable agent");
    ConsoleRig.asks(service, agent, "git status");
    ConsoleRig.asks(service, agent, "npm install left-pad");
    ConsoleRig.asks(service, agent, "cargo build");
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console/decisions");
    page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Agent"))
        .fill("findable agent");
    assertThat(page.locator("#agent-names option")).hasCount(1);
    page.keyboard().press("Enter");
    assertThat(page.locator("#live li")).hasCount(3);
    assertThat(page.locator("#live time").first()).hasText(Pattern.compile("\\d\\d:\\d\\d:\\d\\d"));
    page.getByLabel("Outcome").selectOption("denied");
    assertThat(page.locator("#live li")).hasCount(2);
    page.getByLabel("Reason").selectOption("A command that is not on the list");
    page.getByLabel("Time").selectOption("Last hour");
    assertThat(page).hasURL(Pattern.compile(".*since=1h.*"));
    assertThat(page.locator("#live-state")).hasText("live");
    ConsoleRig.asks(service, agent, "git fetch");
    ConsoleRig.asks(service, agent, "npm ci");
    assertThat(page.locator("#live li")).hasCount(3);
    page.getByLabel("Text").fill("LEFT-pad");
    page.keyboard().press("Enter");
    assertThat(page.locator("#list .live li")).hasCount(1);
    assertThat(page.locator("#list .live li")).containsText("npm install left-pad");
    page.reload();
    assertThat(page.locator("#list .live li")).hasCount(1);
  }

  @Test
  void theOverviewCountsAPeriodByPolicyAgentAndReason() {
    String agent = ConsoleRig.agent(service, "Trending agent");
    ConsoleRig.asks(service, agent, "git status");
    ConsoleRig.asks(service, agent, "npm test");
    Page page = ConsoleRig.enter(profile, session);
    for (String period : List.of("1 hour", "24 hours", "7 days", "30 days")) {
      page.navigate(service.base() + "console");
      page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(period).setExact(true))
          .click();
      assertThat(page.locator(".lead")).containsText("had denials since");
      String since = page.locator("#policies .hint").innerText();
      assertThat(page.locator(".figures")).containsText("decisions " + since);
      assertThat(page.locator(".lead")).containsText(since);
      assertThat(page.locator("section", new Page.LocatorOptions().setHasText("By policy")))
          .containsText("Run a shell command");
      assertThat(page.locator("section", new Page.LocatorOptions().setHasText("Denial reasons")))
          .containsText("A command that is not on the list");
      assertThat(page.locator("section", new Page.LocatorOptions().setHasText("Health")))
          .containsText("Response time");
      assertThat(page.locator("svg.chart rect.deny[height='0']").first()).isAttached();
      page.getByText("The numbers as a table").press("Enter");
      Locator counted = page.locator("section[aria-labelledby=chart] tbody tr").last();
      assertThat(counted).isVisible();
      assertThat(page.locator("section[aria-labelledby=chart]"))
          .containsText(Pattern.compile("The numbers.*[1-9]", Pattern.DOTALL));
    }
    page.locator("section", new Page.LocatorOptions().setHasText("By agent"))
        .getByText("Trending agent")
        .click();
    assertThat(page.locator("#live li")).hasCount(2);
  }

  /** One long word is a name that many agents have; it breaks only where it fits in no column. */
  @Test
  void namesAreWholeOnAPhone() {
    String name = "Announcementpublisher";
    String agent = ConsoleRig.agent(service, name);
    ConsoleRig.asks(service, agent, "git status");
    try (Chromium.Profile phone = Chromium.profile(390, 844, ColorScheme.LIGHT, true)) {
      Page page = ConsoleRig.enter(phone, session);
      for (String path : List.of("", "/passports?q=" + agent, "/decisions?agent_id=" + agent)) {
        page.navigate(service.base() + "console" + path);
        Locator shown =
            page.locator("main bdi", new Page.LocatorOptions().setHasText(name)).first();
        assertThat(shown).isVisible();
        assertThat((int) shown.evaluate("e => e.getClientRects().length")).as(path).isEqualTo(1);
        assertThat((int) page.evaluate("document.documentElement.scrollWidth"))
            .as(path)
            .isLessThanOrEqualTo(390);
      }
    }
  }

  @Test
  void anUnknownPageLeadsBack() {
    Page page = ConsoleRig.enter(profile, session);
    assertThat(
            java.util.Objects.requireNonNull(page.navigate(service.base() + "console/nope"))
                .status())
        .isEqualTo(404);
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("There is no page /console/nope");
    page.getByText("Back to the overview").click();
    assertThat(page).hasURL(Pattern.compile(".*/console"));
  }

  @Test
  void theSearchOnEveryPageFindsAgentsPoliciesAndPages() {
    String agent = ConsoleRig.agent(service, "Searched agent");
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console/settings");
    page.keyboard().press("Control+k");
    page.keyboard().type("searched ag");
    assertThat(page.locator("#search-found a").first()).containsText("Searched agent");
    page.keyboard().press("Enter");
    page.waitForURL("**/console/passports/" + agent);
    page.waitForLoadState();
    page.keyboard().press("Control+k");
    page.keyboard().type("web.fetch");
    assertThat(page.locator("#search-found a").first()).containsText("web.fetch.v1");
    page.keyboard().press("ArrowDown");
    page.keyboard().press("Enter");
    page.waitForURL("**/console/policies/web.fetch.v1");
  }

  /** The command is on no list, but an MCP server was refused before any rule was looked at. */
  @Test
  void aDecisionShowsTheChecksThatWereMadeAndNoOthers() {
    String agent = ConsoleRig.agent(service, "Checked agent");
    String decision =
        service
            .owner()
            .post(
                ConsoleRig.COMMANDS,
                Calls.json(
                    "{'context': {'agent_id': '%s', 'command': 'rm -rf /', 'mcp_servers':"
                            .formatted(agent)
                        + " ['https://evil.example']}}"))
            .string("decision_id");
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console/decisions/" + decision);
    assertThat(page.getByText("oap.server_not_allowed").first()).isVisible();
    assertThat(page.locator(".timeline li"))
        .containsText(
            new String[] {
              "The passport is active",
              "The passport has not expired",
              "The passport holds the capability",
              "The assurance level is high enough",
              "The action is described properly",
              "The MCP servers and tools are on the passport"
            });
    assertThat(page.locator(".timeline li")).hasCount(6);
    assertThat(page.locator(".timeline li.good")).hasCount(5);
    assertThat(page.locator(".timeline li.bad")).containsText("https://evil.example");
    assertThat(page.locator("#checked").locator("..")).not().containsText("allowlist");
    assertThat(page.locator("#checked").locator("..")).containsText("the last one made");

    String allowed = ConsoleRig.asks(service, agent, "git status").string("decision_id");
    page.navigate(service.base() + "console/decisions/" + allowed);
    assertThat(page.locator(".timeline li.bad")).hasCount(0);
    assertThat(page.locator(".timeline")).containsText("Command allowlist");
    assertThat(page.locator(".timeline li").last()).containsText("region");
  }

  /** A pack that does not compile is refused before any check. */
  @Test
  void aDecisionWithoutRecordedChecksClaimsNothing() {
    String agent = ConsoleRig.agent(service, "Unchecked agent");
    String decision =
        service
            .owner()
            .post(
                "/api/verify/policy/IN_BODY",
                Calls.json(
                    "{'context': {'agent_id': '%s', 'command': 'git status'}, 'policy': {'id':"
                            .formatted(agent)
                        + " 'broken.v1'}}"))
            .string("decision_id");
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console/decisions/" + decision);
    assertThat(page.locator(".timeline li")).hasCount(1);
    assertThat(page.locator(".timeline li.bad")).containsText("does not compile");
    assertThat(page.locator("#checked").locator(".."))
        .containsText("The record does not say which checks were made before this one.");
  }

  @Test
  void withoutScriptsEveryPageCanBeReadAndAnAgentStopped() {
    String agent = ConsoleRig.agent(service, "Plain agent");
    try (Chromium.Profile plain = Chromium.profile(390, 844, ColorScheme.DARK, false)) {
      Page page = ConsoleRig.signIn(service, plain, owner);
      page.navigate(service.base() + "console/passports/" + agent);
      page.getByText("Suspend…").click();
      button(page, "Suspend now").click();
      assertThat(page.getByRole(AriaRole.STATUS)).containsText("Suspended");
    }
    assertThat(ConsoleRig.allows(service, agent)).isFalse();
  }

  private static com.microsoft.playwright.Locator button(Page page, String name) {
    return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
        .first();
  }
}

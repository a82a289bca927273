package dev.safeconduct;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.Cookie;
import dev.safeconduct.testkit.Chromium;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The console in a real browser: signing in, watching, stopping. */
final class ConsoleTest {
  @SuppressWarnings("NullAway.Init") // set before all tests
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static String owner;

  @SuppressWarnings("NullAway.Init")
  private static List<Cookie> session;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Chromium.Profile profile;

  @BeforeAll
  static void start() {
    service = TestService.start();
    owner = ConsoleRig.owner(service);
    session = ConsoleRig.session(service, owner);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

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
    page.getByLabel("E-mail address").first().fill(owner);
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
    page.getByLabel("Why").first().fill("it misbehaves");
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
  void theOverviewCountsByReasonAndAgent() {
    String agent = ConsoleRig.agent(service, "Counted agent");
    for (int i = 0; i < 3; i++) {
      ConsoleRig.asks(service, agent, "curl example.com");
    }
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console");
    assertThat(page.locator(".lead")).containsText("denied something since");
    assertThat(page.locator("section", new Page.LocatorOptions().setHasText("Why things were")))
        .containsText("A command that is not on the list");
    assertThat(page.locator("section", new Page.LocatorOptions().setHasText("Who was active")))
        .containsText("Counted agent");
    assertThat(page.locator("svg.chart rect.deny").count()).isPositive();
  }

  @Test
  void withoutScriptsEveryPageCanBeReadAndAnAgentStopped() {
    String agent = ConsoleRig.agent(service, "Plain agent");
    try (Chromium.Profile plain =
        Chromium.profile(390, 844, com.microsoft.playwright.options.ColorScheme.DARK, false)) {
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

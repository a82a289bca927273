package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever agents, members and strangers write into any field is only text on every page: it runs
 * nothing, makes no element, turns nothing around it, and takes no page apart by its length.
 */
@Tag("slow")
final class ConsoleHostileTest {
  private static final String EVIL = HostileThings.EVIL;
  private static final String BACKWARDS = HostileThings.BACKWARDS;

  /** What is wrong with a page that stands there. */
  private static final String LOOK =
      """
      () => {
        const wrong = [];
        if (document.querySelector('.evil')) wrong.push('it made an element');
        if (document.querySelector('img, iframe, object, embed, base, main script, main style'))
          wrong.push('there is an element that no page has');
        for (const each of document.querySelectorAll('*'))
          for (const attribute of each.attributes)
            if (attribute.name.startsWith('on')) wrong.push('a handler: ' + each.outerHTML);
        const width = document.documentElement.scrollWidth;
        if (width > innerWidth) wrong.push('it is ' + width + ' wide');
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          if (!/[\\u202e\\u05d0-\\u05ea]/.test(text.data)) continue;
          let around = text.parentElement;
          if (around.closest('option, textarea, script')) continue;
          let alone = false;
          while (!alone && getComputedStyle(around).display === 'inline') {
            alone = /isolate|plaintext/.test(getComputedStyle(around).unicodeBidi);
            around = around.parentElement;
          }
          if (!alone && around.textContent.trim() !== text.data.trim())
            wrong.push('it turns around what stands beside it: ' + around.outerHTML.slice(0, 300));
        }
        return wrong;
      }
      """;

  private static final Map<String, String> PAGES = new LinkedHashMap<>();

  @AutoClose
  private static final TestService service =
      TestService.start(Map.of("WEBHOOK_RETRY_ATTEMPTS", "0"));

  private static final List<Cookie> session =
      ConsoleRig.session(service, ConsoleRig.owner(service));

  @BeforeAll
  static void start() {
    for (String page :
        List.of(
            "",
            "/passports",
            "/passports/new",
            "/decisions",
            "/approvals",
            "/policies",
            "/playground",
            "/fleet",
            "/keys",
            "/webhooks",
            "/audit",
            "/people",
            "/account",
            "/organizations",
            "/outbox",
            "/settings",
            "/first-run",
            "/connect")) {
      PAGES.put(page, "console" + page);
    }
    PAGES.putAll(new HostileThings(service).make());
    PAGES.put("search", "console/passports?q=" + Formats.url(EVIL));
    PAGES.put("filter", "console/decisions?code=" + Formats.url(EVIL));
    PAGES.put("text", "console/decisions?agent=e&q=" + Formats.url(EVIL));
    PAGES.put("search", "console/search?q=" + Formats.url(EVIL));
    PAGES.put("agent", "console/decisions?agent_id=" + Formats.url(EVIL + BACKWARDS));
    PAGES.put("kind", "console/audit?kind=" + Formats.url(EVIL));
    PAGES.put("done", "console?done=" + Formats.url(EVIL));
    PAGES.put("policy to copy", "console/policies/edit?from=" + Formats.url(EVIL));
    PAGES.put("unknown passport", "console/passports/" + Formats.url(EVIL));
    PAGES.put(
        "connector",
        "console/connect?connector=" + Formats.url(EVIL) + "&agent_id=" + Formats.url(EVIL));
    PAGES.put("unknown policy", "console/policies/" + Formats.url(EVIL));
    PAGES.put("unknown approval", "console/approvals/" + Formats.url(EVIL));
    PAGES.put("unknown webhook", "console/webhooks/" + Formats.url(EVIL));
  }

  @Test
  void hostileTextIsOnlyTextOnEveryPage() {
    var wrong = new ArrayList<String>();
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = profile.page();
      page.navigate(service.base() + "console/sign-in?next=" + Formats.url(EVIL));
      look("sign-in", page, wrong);
      ConsoleRig.enter(profile, session);
      PAGES.forEach((name, path) -> {
        page.navigate(service.base() + path);
        look(name, page, wrong);
        page.setViewportSize(390, 844);
        look(name + ", phone", page, wrong);
        page.setViewportSize(1280, 900);
      });
      wrong.addAll(profile.complaints());
    }
    assertThat(wrong).isEmpty();
  }

  private static void look(String name, Page page, List<String> wrong) {
    if (page.evaluate(LOOK) instanceof List<?> found) {
      found.forEach(each -> wrong.add(name + ": " + each));
    } else {
      wrong.add(name + " could not be looked at");
    }
  }

  /** What arrives while somebody watches is put in by a script, which must take it as text too. */
  @Test
  void hostileDecisionsArriveAsText() {
    String agent = ConsoleRig.agent(service, EVIL);
    var wrong = new ArrayList<String>();
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = ConsoleRig.enter(profile, session);
      page.navigate(service.base() + "console");
      page.waitForCondition(() -> "live".equals(page.locator("#live-state").textContent()));
      ConsoleRig.asks(service, agent, "arrives " + EVIL + BACKWARDS);
      page.waitForCondition(
          () -> page.locator("#live li").first().textContent().contains("arrives " + EVIL));
      look("live", page, wrong);
      wrong.addAll(profile.complaints());
    }
    assertThat(wrong).isEmpty();
  }

  /** What would see it sees it. */
  @Test
  void hostileMarkupWouldBeSeen() {
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = ConsoleRig.enter(profile, session);
      page.navigate(service.base() + "console/settings");
      page.evaluate(
          "evil => { document.querySelector('main').insertAdjacentHTML('beforeend',"
              + " evil + '<p>before \u05e9\u05dc \u202egnp after</p>'); }",
          EVIL);
      var wrong = new ArrayList<String>();
      look("made so", page, wrong);
      assertThat(wrong)
          .anyMatch(each -> each.contains("made an element"))
          .anyMatch(each -> each.contains("a handler"));
      // The browser reports later what it has blocked; without a report this fails.
      page.waitForCondition(() -> !profile.complaints().isEmpty());
      page.evaluate(
          "document.querySelector('main').insertAdjacentHTML('beforeend',"
              + " '<p>before <span>\\u202egnp</span> after</p>')");
      look("turned", page, wrong);
      assertThat(wrong).anyMatch(each -> each.startsWith("turned: it turns around"));
    }
  }

  @Test
  void whatIsTooLongForANameIsRefused() {
    Calls key = service.owner();
    String name = "n".repeat(10_000);
    assertThat(key.post("/api/passports", named(name)).status()).isEqualTo(400);
    assertThat(service.admin().post("/api/orgs", named(name)).status()).isEqualTo(400);
    assertThat(
            key.post(
                    "/api/orgs/" + service.org() + "/keys",
                    named(name).with("scopes", JsonArray.of(new JsonString("read"))))
                .status())
        .isEqualTo(400);
  }

  private static JsonObject named(String name) {
    return JsonObject.builder().put("name", name).build();
  }
}

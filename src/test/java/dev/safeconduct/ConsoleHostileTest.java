package dev.safeconduct;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import dev.safeconduct.console.Show;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Whatever agents, members and strangers write into any field is only text on every page: it runs
 * nothing, makes no element, turns nothing around it, and takes no page apart by its length.
 */
final class ConsoleHostileTest {
  /** At most 100 characters, so that it is a name too. */
  private static final String EVIL =
      "<img class=evil src=x onerror=alert(1)>\"'><script class=evil>alert(2)</script>"
          + "\ud83d\udc80\u05e9\u05dc\u05d5\u05dd";

  private static final String SHORT = "<img class=evil src=x onerror=alert(1)>";

  /** Turns what follows it around; names and the like may not hold it. */
  private static final String BACKWARDS = "\u202egnp.exe";

  private static final String LONG = EVIL + BACKWARDS + "x".repeat(9_000);

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

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static List<Cookie> session;

  @SuppressWarnings("NullAway.Init")
  private static Calls key;

  @BeforeAll
  static void start() {
    service = TestService.start(Map.of("WEBHOOK_RETRY_ATTEMPTS", "0"));
    session = ConsoleRig.session(service, ConsoleRig.owner(service));
    key = service.owner();
    for (String page :
        List.of(
            "",
            "/passports",
            "/passports/new",
            "/decisions",
            "/approvals",
            "/policies",
            "/playground",
            "/keys",
            "/webhooks",
            "/audit",
            "/people",
            "/organizations",
            "/outbox",
            "/settings",
            "/first-run")) {
      PAGES.put(page, "console" + page);
    }
    passports();
    approvals();
    policies();
    others();
    PAGES.put("search", "console/passports?q=" + Show.url(EVIL));
    PAGES.put("filter", "console/decisions?code=" + Show.url(EVIL));
    PAGES.put("agent", "console/decisions?agent_id=" + Show.url(EVIL + BACKWARDS));
    PAGES.put("kind", "console/audit?kind=" + Show.url(EVIL));
    PAGES.put("done", "console?done=" + Show.url(EVIL));
    PAGES.put("policy to copy", "console/policies/edit?from=" + Show.url(EVIL));
    PAGES.put("unknown passport", "console/passports/" + Show.url(EVIL));
    PAGES.put("unknown policy", "console/policies/" + Show.url(EVIL));
    PAGES.put("unknown approval", "console/approvals/" + Show.url(EVIL));
    PAGES.put("unknown webhook", "console/webhooks/" + Show.url(EVIL));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static Reply ok(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isBetween(200, 201);
    return reply;
  }

  private static JsonString text(String text) {
    return new JsonString(text);
  }

  private static JsonObject object(String... members) {
    JsonObject.Builder object = JsonObject.builder();
    for (int i = 0; i < members.length; i += 2) {
      object.put(members[i], members[i + 1]);
    }
    return object.build();
  }

  private static void passports() {
    JsonObject full =
        Calls.json(
                "{'capabilities': [{'id': 'system.command.execute'}, {'id': 'messaging.send'}],"
                    + " 'status': 'active'}")
            .with("name", text(EVIL))
            .with("description", text(EVIL + "n".repeat(800)))
            .with("role", text(EVIL))
            .with("contact", text(EVIL))
            .with("framework", JsonArray.of(text(SHORT)))
            .with("categories", JsonArray.of(text(SHORT)))
            .with("metadata", object(EVIL, EVIL))
            .with("mcp", JsonObject.builder().put("tools", JsonArray.of(text(EVIL))).build())
            .with(
                "limits",
                JsonObject.builder()
                    .put(
                        "system.command.execute",
                        JsonObject.builder()
                            .put("allowed_commands", JsonArray.of(text("git"), text(EVIL)))
                            .build())
                    .build());
    String agent = ok(key.post("/api/passports", full)).string("agent_id");
    PAGES.put("passport", "console/passports/" + agent);
    PAGES.put("passport, to suspend", "console/passports/" + agent + "?do=suspended");
    PAGES.put("passport, to edit", "console/passports/" + agent + "/edit");
    PAGES.put("played with", "console/playground?agent_id=" + agent);
    ok(key.post("/api/passports", object("name", "<b>" + "n".repeat(97))));
    String instance =
        ok(key.post("/api/passports/" + agent + "/instances", object("name", EVIL)))
            .string("agent_id");
    PAGES.put("instance", "console/passports/" + instance);
    Reply denied =
        key.with("X-Request-Id", "<img class=evil src=x>")
            .with("User-Agent", "<img class=evil src=x>")
            .post(ConsoleRig.COMMANDS, context(agent, "command", LONG, EVIL, EVIL));
    PAGES.put("decision", "console/decisions/" + ok(denied).string("decision_id"));
    String allowed =
        ok(key.post(ConsoleRig.COMMANDS, context(agent, "command", "git " + EVIL)))
            .string("decision_id");
    PAGES.put("other decision", "console/decisions/" + allowed);
    String unknown =
        ok(key.post(
                ConsoleRig.COMMANDS,
                JsonObject.builder()
                    .put(
                        "passport",
                        Calls.json(
                                "{'status': 'active', 'capabilities':"
                                    + " [{'id': 'system.command.execute'}]}")
                            .with("agent_id", text(EVIL + BACKWARDS)))
                    .put("context", object("command", "ls"))
                    .build()))
            .string("decision_id");
    PAGES.put("decision of nobody", "console/decisions/" + unknown);
    ok(
        key.put(
            "/api/passports/" + agent + "/status",
            object("status", "suspended", "reason", EVIL).toString()));
    ok(service.admin().delete("/api/audit/" + allowed + "?reason=" + Show.url(EVIL)));
  }

  private static JsonObject context(String agent, String... members) {
    return JsonObject.builder()
        .put("context", object(members).with("agent_id", text(agent)))
        .build();
  }

  private static void approvals() {
    String agent =
        ok(key.post(
                "/api/passports",
                Calls.json(
                        """
                        {'capabilities': [{'id': 'messaging.send'}],
                         'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                           'approval_required': true}}}
                        """)
                    .with("name", text(EVIL))))
            .string("agent_id");
    Calls person = service.signedIn(TestService.OPERATOR);
    for (String message : List.of(EVIL + BACKWARDS, EVIL + "x".repeat(900))) {
      Reply denied =
          ok(
              key.post(
                  "/api/verify/policy/messaging.message.send.v1",
                  context(
                      agent, "channel_id", "team", "message", message, "message_type", "text")));
      assertThat(denied.json().object("approval")).as(denied.toString()).isPresent();
      String id =
          denied.json().object("approval").flatMap(a -> a.string("approval_id")).orElseThrow();
      PAGES.put("approval " + message.length(), "console/approvals/" + id);
      if (!message.contains(BACKWARDS)) {
        ok(person.post("/api/approvals/" + id + "/refuse", object("comment", EVIL)));
      }
    }
  }

  /** A pack of the organization's whose every text is hostile, and another version on trial. */
  private static void policies() {
    String own = "/api/orgs/" + service.org() + "/policies";
    JsonObject pack = service.owner().get("/api/policies/system.command.execute.v1").json();
    JsonObject evil = evil(pack).with("id", text("evil.command.v1"));
    ok(key(own).post(own, evil));
    ok(key(own).post(own + "/evil.command.v1/activate", JsonObject.EMPTY));
    ok(
        key(own)
            .put(
                own + "/evil.command.v1", evil.with("description", text("<b>two</b>")).toString()));
    ok(
        key(own)
            .post(own + "/evil.command.v1/shadow", JsonObject.builder().put("version", 2).build()));
    PAGES.put("own policy", "console/policies/evil.command.v1");
    PAGES.put("own policy's decisions", "console/decisions?policy_id=evil.command.v1");
    PAGES.put("own policy played with", "console/playground?policy_id=evil.command.v1");
    String agent = ConsoleRig.agent(service, "Judged by it");
    String decision =
        ok(key.post("/api/verify/policy/evil.command.v1", context(agent, "command", LONG)))
            .string("decision_id");
    PAGES.put("decision by it", "console/decisions/" + decision);
  }

  private static Calls key(String path) {
    return path.isEmpty() ? key : service.signedIn(TestService.OPERATOR);
  }

  /** The pack with hostile text wherever people write some. */
  private static JsonObject evil(JsonObject object) {
    JsonObject changed = object;
    for (String name : object.names()) {
      JsonValue value = object.get(name);
      if (List.of("name", "description", "message", "title").contains(name)
          && value instanceof JsonString
          && !object.has("deny_code")) {
        changed = changed.with(name, text(EVIL));
      } else if (List.of("description", "message").contains(name) && value instanceof JsonString) {
        changed = changed.with(name, text(EVIL));
      } else if (value instanceof JsonObject inner) {
        changed = changed.with(name, evil(inner));
      } else if (value instanceof JsonArray list) {
        changed = changed.with(name, evil(list));
      }
    }
    return changed;
  }

  private static JsonArray evil(JsonArray list) {
    var elements = new ArrayList<JsonValue>();
    for (JsonValue each : list) {
      elements.add(each instanceof JsonObject object ? evil(object) : each);
    }
    return new JsonArray(elements);
  }

  private static void others() {
    ok(
        key.post(
            "/api/orgs/" + service.org() + "/keys",
            object("name", EVIL).with("scopes", JsonArray.of(text("read")))));
    ok(service.admin().post("/api/orgs", object("name", EVIL)));
    ok(
        service
            .admin()
            .post(
                "/api/orgs/" + service.org() + "/members",
                object("email", "o'neil+a&b=c#1@example.com", "role", "member")));
    String url = "http://127.0.0.1:9/%3Cimg%20class=evil%3E/'onerror=alert(1)//" + "w".repeat(900);
    String hook =
        ok(key.post("/api/webhooks", object("url", url)))
            .json()
            .object("webhook")
            .flatMap(made -> made.string("webhook_id"))
            .orElseThrow();
    String agent = ConsoleRig.agent(service, EVIL);
    ok(
        key.put(
            "/api/passports/" + agent + "/status",
            object("status", "suspended", "reason", EVIL).toString()));
    PAGES.put("webhook", "console/webhooks/" + hook);
  }

  @Test
  void hostileTextIsOnlyTextOnEveryPage() {
    var wrong = new ArrayList<String>();
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = profile.page();
      page.navigate(service.base() + "console/sign-in?next=" + Show.url(EVIL));
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
      ok(key.post(ConsoleRig.COMMANDS, context(agent, "command", "arrives " + EVIL + BACKWARDS)));
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
      assertThat(profile.complaints()).isNotEmpty();
      page.evaluate(
          "document.querySelector('main').insertAdjacentHTML('beforeend',"
              + " '<p>before <span>\\u202egnp</span> after</p>')");
      look("turned", page, wrong);
      assertThat(wrong).anyMatch(each -> each.startsWith("turned: it turns around"));
    }
  }

  @Test
  void whatIsTooLongForANameIsRefused() {
    String name = "n".repeat(10_000);
    assertThat(key.post("/api/passports", object("name", name)).status()).isEqualTo(400);
    assertThat(service.admin().post("/api/orgs", object("name", name)).status()).isEqualTo(400);
    assertThat(
            key.post(
                    "/api/orgs/" + service.org() + "/keys",
                    object("name", name).with("scopes", JsonArray.of(text("read"))))
                .status())
        .isEqualTo(400);
  }
}

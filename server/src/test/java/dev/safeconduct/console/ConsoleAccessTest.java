package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Route;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every page and every form of the console by everybody: nobody, each role, a stranger's page, a
 * key. What a role may not do is neither shown nor possible.
 */
final class ConsoleAccessTest {
  /** What may be opened or sent by which roles; all that is not here may be by all four. */
  private static final Map<String, List<String>> ONLY = new LinkedHashMap<>();

  static {
    List<String> runs = List.of("owner", "admin");
    List<String> works = List.of("owner", "admin", "member");
    ONLY.put("GET /console/keys", runs);
    ONLY.put("POST /console/keys", runs);
    ONLY.put("GET /console/webhooks", runs);
    ONLY.put("GET /console/passports/new", works);
    ONLY.put("GET /console/passports/{agent_id}/edit", works);
    ONLY.put("GET /console/first-run", works);
    ONLY.put("GET /console/policies/edit", runs);
    ONLY.put("POST /console/webhooks", runs);
    ONLY.put("GET /console/people", runs);
    ONLY.put("POST /console/people", runs);
    ONLY.put("GET /console/approvals", runs);
    ONLY.put("GET /console/observe", runs);
    ONLY.put("POST /console/observe/begin", runs);
    ONLY.put("POST /console/observe/end", List.of("owner"));
    ONLY.put("GET /console/halt", runs);
    ONLY.put("POST /console/halt/own/halt", runs);
    ONLY.put("POST /console/halt/own/resume", runs);
    ONLY.put("POST /console/halt/all/halt", List.of());
    ONLY.put("POST /console/halt/all/resume", List.of());
    ONLY.put("GET /console/bulk-status", List.of());
    ONLY.put("POST /console/bulk-status", List.of());
    ONLY.put("GET /console/organizations", List.of());
    ONLY.put("POST /console/organizations", List.of());
    ONLY.put("POST /console/organizations/rename", List.of());
    ONLY.put("POST /console/organizations/delete", List.of());
    ONLY.put("GET /console/outbox", List.of());
    ONLY.put("GET /console/settings", List.of());
    ONLY.put("POST /console/passports/new", works);
    ONLY.put("POST /console/first-run", works);
    ONLY.put("GET /console/connect", works);
    ONLY.put("POST /console/connect", works);
    ONLY.put("GET /console/connect/{agent_id}", works);
    ONLY.put("POST /console/policies/edit", runs);
    ONLY.put("POST /console/passports/{agent_id}/status", works);
    ONLY.put("GET /console/passports/{agent_id}/narrow", works);
    ONLY.put("POST /console/passports/{agent_id}/narrow", works);
    ONLY.put("POST /console/passports/{agent_id}/edit", works);
    ONLY.put("POST /console/passports/{agent_id}/assurance", List.of());
    ONLY.put("POST /console/passports/{agent_id}/instances", works);
    ONLY.put("POST /console/passports/{agent_id}/setup-key", works);
    ONLY.put("POST /console/keys/{key_id}/revoke", runs);
    ONLY.put("POST /console/keys/{key_id}/rotate", runs);
    ONLY.put("POST /console/keys/{key_id}/edit", runs);
    ONLY.put("GET /console/tokens", List.of());
    ONLY.put("POST /console/tokens", List.of());
    ONLY.put("POST /console/tokens/{token_id}/revoke", List.of());
    ONLY.put("POST /console/webhooks/{webhook_id}/edit", runs);
    ONLY.put("POST /console/people/{account_id}/role", runs);
    ONLY.put("POST /console/people/{account_id}/remove", runs);
    ONLY.put("POST /console/people/{account_id}/reset-second-factor", runs);
    ONLY.put("GET /console/approvals/{approval_id}", runs);
    ONLY.put("POST /console/approvals/{approval_id}/approve", runs);
    ONLY.put("POST /console/approvals/{approval_id}/refuse", runs);
    ONLY.put("GET /console/webhooks/{webhook_id}", runs);
    ONLY.put("POST /console/webhooks/{webhook_id}/active", runs);
    ONLY.put("POST /console/webhooks/{webhook_id}/test", runs);
    ONLY.put("POST /console/webhooks/{webhook_id}/rotate-secret", runs);
    ONLY.put("POST /console/webhooks/{webhook_id}/remove", runs);
    ONLY.put("POST /console/webhooks/{webhook_id}/resend", runs);
    ONLY.put("POST /console/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", runs);
    ONLY.put("POST /console/policies/{policy_id}/activate", runs);
    ONLY.put("POST /console/policies/{policy_id}/deprecate", runs);
    ONLY.put("POST /console/policies/{policy_id}/shadow", runs);
    ONLY.put("POST /console/policies/{policy_id}/shadow-end", runs);
  }

  private static final Map<String, Calls> ROLES = new LinkedHashMap<>();

  @AutoClose private static final TestService service = TestService.start();

  private static final String agent = ConsoleRig.agent(service, "Watched");

  @BeforeAll
  static void start() {
    for (String role : List.of("owner", "admin", "member", "auditor")) {
      ROLES.put(role, service.member(service.org(), role + "@example.com", role));
    }
  }

  private static List<Route> pages() {
    return service.routes().stream()
        .filter(route -> route.permission() instanceof Permission.Browser)
        .filter(route ->
            !route
                .path()
                .matches(
                    "/console/(sign-in(/passkey|/second-step.*)?|sign-out|password|live|organization)"))
        .toList();
  }

  /** The path with ids; of the agent there is one, of anything else none. */
  private static String path(Route route) {
    return route
        .path()
        .replace("{agent_id}", agent)
        .replace("{decision_id}", "019aa5b0-c7e0-7a1b-8c2d-000000000000")
        .replace("{approval_id}", "apr_00000000000000000000000000000000")
        .replace("{policy_id}", "system.command.execute.v1")
        .replaceAll("\\{[a-z_]+}", "nothing");
  }

  private static Reply send(Calls calls, Route route, String csrf) {
    return route.method().equals("GET")
        ? calls.get(path(route))
        : Pages.post(calls, path(route), Pages.form(csrf, Map.of()));
  }

  private static String csrf(Calls person) {
    return person.get("/api/auth/me").string("csrf_token");
  }

  private static List<DynamicTest> each(String who, java.util.function.Consumer<Route> test) {
    return pages().stream()
        .map(route ->
            DynamicTest.dynamicTest(
                route.method() + " " + route.path() + ": " + who, () -> test.accept(route)))
        .toList();
  }

  @TestFactory
  List<DynamicTest> nobodyIsSentToSignIn() {
    return each(
        "nobody",
        route -> {
          Reply reply = send(service.nobody(), route, "");
          assertThat(reply.status()).isEqualTo(route.method().equals("GET") ? 303 : 403);
          assertThat(reply.text()).doesNotContain("Watched");
        });
  }

  @TestFactory
  List<DynamicTest> noKeyAndNoTokenOpensAPage() {
    return each(
        "key",
        route -> {
          assertThat(send(service.owner(), route, "").status()).isIn(303, 403);
          assertThat(send(service.admin(), route, "").status()).isIn(303, 403);
        });
  }

  @TestFactory
  List<DynamicTest> aFormWithoutItsTokenOrOfAnotherSiteChangesNothing() {
    Calls owner = ROLES.get("owner");
    return each(
        "forged",
        route -> {
          if (route.method().equals("POST") && owner != null) {
            assertThat(send(owner.with("X-CSRF-Token", ""), route, "").status()).isEqualTo(403);
            assertThat(
                    send(owner.with("Sec-Fetch-Site", "cross-site"), route, csrf(owner)).status())
                .isEqualTo(403);
          }
        });
  }

  @TestFactory
  List<DynamicTest> eachRoleMayWhatItMayAndNothingElse() {
    var tests = new ArrayList<DynamicTest>();
    ROLES.forEach((role, calls) -> {
      String csrf = csrf(calls);
      tests.addAll(
          each(
              role,
              route -> {
                List<String> may =
                    ONLY.getOrDefault(
                        route.method() + " " + route.path(), List.copyOf(ROLES.keySet()));
                Reply reply = send(calls, route, csrf);
                if (may.contains(role)) {
                  assertThat(reply.status()).as(reply.toString()).isNotIn(401, 403, 500);
                } else {
                  assertThat(reply.status()).as(reply.toString()).isIn(403, 404);
                }
              }));
    });
    return tests;
  }

  /** Every link of the navigation opens, for whoever it is shown to. */
  @Test
  void whatIsShownIsPossible() {
    ROLES.forEach((role, calls) -> {
      var links = new ArrayList<String>();
      var matcher =
          java.util.regex.Pattern.compile("<li><a href=\"(/console[^\"]*)\"")
              .matcher(calls.get("/console").text());
      while (matcher.find()) {
        links.add(matcher.group(1));
      }
      assertThat(links).as(role).hasSizeGreaterThan(4);
      for (String link : links) {
        assertThat(calls.get(link).status()).as(role + " " + link).isEqualTo(200);
      }
      assertThat(links.contains("/console/keys")).isEqualTo(!role.matches("member|auditor"));
      assertThat(links).doesNotContain("/console/settings");
    });
    Calls auditor = java.util.Objects.requireNonNull(ROLES.get("auditor"));
    String passport = auditor.get("/console/passports/" + agent).text();
    assertThat(passport).contains("Watched").doesNotContain("Suspend", "/edit", "setup-key");
    assertThat(auditor.get("/console/passports").text()).doesNotContain("New passport", "Suspend<");
  }

  @Test
  void anotherOrganizationsThingsAreNotFound() {
    String other = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    Calls stranger = service.member(other, "stranger@example.com", "owner");
    assertThat(stranger.get("/console/passports/" + agent).status()).isEqualTo(404);
    assertThat(stranger.get("/console/passports").text()).doesNotContain(agent);
    assertThat(stranger.get("/console").text()).doesNotContain("Watched");
  }

  @Test
  void pagesRunOnlyScriptsOfOursAndAreNotKept() {
    Reply page = java.util.Objects.requireNonNull(ROLES.get("owner")).get("/console");
    assertThat(page.header("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(page.header("Cache-Control")).contains("no-store");
    assertThat(page.text())
        .doesNotContainPattern("<script(?![^>]* src=)")
        .doesNotContainPattern("<[^>]+ (on[a-z]+|style)=")
        .doesNotContain("<style");
    var asset =
        java.util.regex.Pattern.compile("/console/assets/[a-z]+-[0-9a-f]{16}\\.(css|js)")
            .matcher(page.text());
    int found = 0;
    while (asset.find()) {
      assertThat(service.nobody().get(asset.group()).header("Cache-Control").orElse(""))
          .contains("immutable");
      found++;
    }
    assertThat(found).isEqualTo(3);
  }
}

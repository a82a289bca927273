package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The rules of HTTP that hold for every route, held against every route the running service has: a
 * new one is tested without a line here. Who may call what is {@link RouteAccessTest}'s matter.
 */
final class RouteRulesTest {
  private static final String ABSURD = "image/png;q=0, ,;;q=x, nonsense, */*;q=0";
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW");

  private static final Map<String, String> OWN = new TreeMap<>(RouteCalls.NOTHING);

  @AutoClose
  private static final TestService service =
      TestService.start(Map.of("RATE_ISSUE_PER_ADDRESS_PER_HOUR", "0"));

  @BeforeAll
  static void start() {
    String agent = Questions.hosted(service, 9);
    OWN.put("org_id", service.org());
    OWN.put("agent_id", agent);
    OWN.put("slug", "nothing");
    OWN.put("object_id", agent);
    OWN.put("badge", agent + ".svg");
    OWN.put("policy_id", "messaging.message.send.v1");
    OWN.put("version", "1");
    OWN.putAll(Map.of("tile", "0/000.p/1", "approval_id", "apr_0123456789abcdef0123456789abcdef"));
    OWN.put("framework", "claude-code");
    OWN.put("agent", "codex");
    OWN.put("feed_name", "exchange_status");
    OWN.put(
        "record_id",
        Questions.records(service.owner(), "limit=1").get(0) instanceof JsonObject r
            ? r.string("record_id").orElseThrow()
            : "");
  }

  @TestFactory
  List<DynamicTest> headIsGetWithoutItsBody() {
    return each(
        route -> route.method().equals("GET"),
        route -> {
          Reply get = admin().get(path(route));
          Reply head = admin().send("HEAD", path(route), "");
          assertThat(head.status()).isEqualTo(get.status());
          assertThat(head.body()).isEmpty();
          for (String name : List.of("content-type", "etag", "cache-control", "vary", "location")) {
            // A page that names a token of its own has another length and tag each time.
            assertThat(head.header(name)).as(name).isEqualTo(get.header(name));
          }
        });
  }

  @TestFactory
  List<DynamicTest> aMethodThePathDoesNotKnowIs405WithAllow() {
    return each(
        route -> true,
        route -> {
          Set<String> known = known(route);
          for (String method : METHODS) {
            if (!known.contains(method)) {
              Reply reply = service.nobody().send(method, path(route), "");
              assertThat(reply.status()).as(method).isEqualTo(405);
              assertThat(allowed(reply)).as(method).isEqualTo(known);
              if (!method.equals("HEAD")) {
                error(reply, method, path(route));
              }
            }
          }
        });
  }

  @TestFactory
  List<DynamicTest> optionsTellsTheMethods() {
    return each(
        route -> true,
        route -> {
          Reply reply = service.nobody().send("OPTIONS", path(route), "");
          assertThat(reply.status()).isEqualTo(204);
          assertThat(reply.body()).isEmpty();
          assertThat(allowed(reply)).isEqualTo(known(route));
        });
  }

  /** By strangers where a call would change something, by the operator where it only reads. */
  @TestFactory
  List<DynamicTest> slashesAndAcceptMakeNoDifference() {
    return each(
        route -> true,
        route -> {
          Calls calls = route.method().equals("GET") ? admin() : service.nobody();
          String path = path(route);
          int plain = calls.send(route.method(), path, "").status();
          assertThat(plain).isNotIn(406, 500);
          String base = service.base().toString();
          for (String spelling :
              List.of(
                  base + path, base + "//" + path.substring(1), base + path.replace("/", "//"))) {
            assertThat(calls.send(route.method(), spelling, "").status())
                .as(spelling)
                .isEqualTo(plain);
          }
          if (!path.endsWith("/") && !route.path().endsWith("...}")) {
            assertThat(calls.send(route.method(), path + "/", "").status()).isEqualTo(plain);
          }
          for (String accept : List.of(ABSURD, "application/xml", "text/html;q=0")) {
            assertThat(calls.with("Accept", accept).send(route.method(), path, "").status())
                .as(accept)
                .isEqualTo(plain);
          }
        });
  }

  @TestFactory
  List<DynamicTest> belowAPathThereIsNothing() {
    return each(
        route -> !route.path().endsWith("...}"),
        route -> {
          String path = path(route).replaceAll("/$", "") + "/nothing/at-all";
          Reply reply = admin().send(route.method(), path, "");
          assertThat(reply.status()).as(path).isEqualTo(404);
          error(reply, route.method(), path);
        });
  }

  @TestFactory
  List<DynamicTest> anotherContentTypeIs415() {
    return each(
        RouteRulesTest::takesABody,
        route -> {
          for (String type : List.of("text/plain", "application/xml", "nonsense", "application")) {
            Reply reply =
                admin().with("Content-Type", type).send(route.method(), path(route), "{}");
            // AuthZEN knows no 415 (its section 10.1.2).
            assertThat(reply.status())
                .as(type)
                .isEqualTo(route.body() == BodyRule.AUTHZEN ? 400 : 415);
            error(reply, route.method(), path(route));
          }
        });
  }

  @TestFactory
  List<DynamicTest> aBodyThatIsNoJsonObjectIs400() {
    return each(
        // Signing out must work whatever is sent.
        route ->
            takesABody(route)
                && route.body() != BodyRule.FORM
                && !route.path().equals("/api/auth/logout"),
        route -> {
          for (String body : List.of("{", "[]", "7", "null", "{\"a\":1,\"a\":2}", "{} {}")) {
            Reply reply = admin().send(route.method(), path(route), body);
            if (reply.status() == 404) {
              continue; // What the path names was looked for first.
            }
            assertThat(reply.status()).as(body + ": " + reply).isEqualTo(400);
            error(reply, route.method(), path(route));
          }
        });
  }

  /** Who may not call does not learn what is wrong with the body, and need not send it. */
  @TestFactory
  List<DynamicTest> theCredentialGoesBeforeTheBody() {
    return each(
        route -> takesABody(route) && !isOpen(route),
        route -> {
          for (String type : List.of("application/json", "text/plain")) {
            Reply reply =
                service.nobody().with("Content-Type", type).send(route.method(), path(route), "{");
            assertThat(reply.status()).as(reply.toString()).isEqualTo(401);
            assertThat(reply.header("WWW-Authenticate"))
                .contains("ApiKey realm=\"safeconduct\", Bearer realm=\"safeconduct\"");
            error(reply, route.method(), path(route));
          }
        });
  }

  @TestFactory
  List<DynamicTest> whatNoPathMayHoldIsNeverAFaultOfOurs() {
    return each(
        route -> route.path().contains("{"),
        route -> {
          for (String junk :
              List.of("%00", "%ff", "%2F..%2F", "%", "..", "%F0%9F%98%80", "a".repeat(3000))) {
            String path = service.base() + route.path().substring(1).replaceAll("\\{[^}]*}", junk);
            // No client of ours can send a lone percent sign; MalformedRequestTest does.
            if (!junk.equals("%")) {
              Reply reply = admin().send(route.method(), path, "");
              assertThat(reply.status()).as(junk + " " + reply).isBetween(200, 499);
            }
          }
        });
  }

  @Test
  void thereAreRoutesOfEveryKind() {
    assertThat(service.routes()).hasSizeGreaterThan(90);
    for (BodyRule rule : BodyRule.values()) {
      assertThat(service.routes()).as(rule.name()).anyMatch(route -> route.body() == rule);
    }
  }

  private static Calls admin() {
    return service.admin();
  }

  private static boolean takesABody(Route route) {
    // Hooks answer failures with 200; HookFailureTest holds them.
    return route.body() != BodyRule.NONE && route.failures() == null;
  }

  private static boolean isOpen(Route route) {
    return List.of(Permission.OPEN, Permission.OPTIONAL_CREDENTIAL).contains(route.permission());
  }

  private static String path(Route route) {
    String path = route.path().replace("...}", "}");
    for (Map.Entry<String, String> id : OWN.entrySet()) {
      path = path.replace("{" + id.getKey() + "}", id.getValue());
    }
    return path;
  }

  /** The methods of the routes that share the path. */
  private static Set<String> known(Route route) {
    var known = new TreeSet<String>(List.of("OPTIONS"));
    for (Route each : service.routes()) {
      if (each.path()
          .replaceAll("\\{[^}]*}", "{}")
          .equals(route.path().replaceAll("\\{[^}]*}", "{}"))) {
        known.add(each.method());
      }
    }
    if (known.contains("GET")) {
      known.add("HEAD");
    }
    return known;
  }

  private static Set<String> allowed(Reply reply) {
    return new TreeSet<>(List.of(reply.header("Allow").orElse("").split(", ", -1)));
  }

  /** The one shape of errors. */
  private static void error(Reply reply, String method, String path) {
    JsonObject error = reply.json();
    assertThat(error.isTrue("ok")).isFalse();
    assertThat(error.string("error").orElse("")).isNotEmpty().isEqualTo(reply.string("code"));
    assertThat(reply.string("message")).isNotEmpty().doesNotContain("Exception");
    assertThat(error.object("details")).isPresent();
    assertThat(error.array("reasons").orElseThrow().size()).isEqualTo(1);
    assertThat(Questions.number(error, "status_code")).isEqualTo(reply.status());
    assertThat(reply.string("method")).isEqualTo(method);
    assertThat(reply.string("path"))
        .isIn(path, path.replaceAll("^/(claim|password)/.*", "/$1/{token}"));
    assertThat(reply.header("X-Request-Id")).contains(reply.string("request_id"));
    assertThat(reply.string("timestamp")).matches("[0-9-]{10}T[0-9:]{8}\\.[0-9]{3}Z");
    assertThat(reply.header("Content-Type").orElse("")).startsWith("application/json");
    assertThat(reply.header("Cache-Control")).contains("no-store");
    assertThat(reply.header("X-Content-Type-Options")).contains("nosniff");
  }

  private static List<DynamicTest> each(Predicate<Route> which, Consumer<Route> test) {
    var routes = new ArrayList<Route>(service.routes());
    routes.removeIf(route -> route.path().startsWith("/console")); // pages for people
    routes.sort(Comparator.comparing(Route::path).thenComparing(Route::method));
    return routes.stream()
        .filter(which)
        .map(route ->
            DynamicTest.dynamicTest(route.method() + " " + route.path(), () -> test.accept(route)))
        .toList();
  }
}

package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every route against every kind of credential: none, wrong, revoked, a key of each single scope,
 * the admin token, a setup key of another passport, and a key of another organization that knows
 * the ids. The routes come from the running service, so a new one is tested without a line here.
 */
final class RouteAccessTest {
  /** Paths whose use case asks for a second scope; SuggestTest holds which. */
  private static final Set<String> NEED_ANOTHER_SCOPE =
      Set.of("/api/fleet", "/api/passports/{agent_id}/suggest");

  private static final String WRONG = "sck_0000000000000000000000000000000000000000000wrong0";
  private static final String VERIFY = "/api/verify/policy/messaging.message.send.v1";

  private static final Map<Scope, String> SINGLE_SCOPE_KEYS = new EnumMap<>(Scope.class);
  private static final Map<String, String> OWN = new TreeMap<>();

  @AutoClose private static final TestService service = TestService.start();

  @SuppressWarnings("NullAway.Init")
  private static String revoked;

  @SuppressWarnings("NullAway.Init")
  private static String foreign;

  @SuppressWarnings("NullAway.Init")
  private static String setupKeyOfAnother;

  @BeforeAll
  static void start() {
    Calls owner = service.owner();
    String keys = "/api/orgs/" + service.org() + "/keys";
    for (Scope scope : Scope.values()) {
      SINGLE_SCOPE_KEYS.put(scope, owner.post(keys, key(scope)).string("key"));
    }
    Reply toRevoke = owner.post(keys, key(Scope.values()));
    revoked = toRevoke.string("key");
    assertThat(service.withKey(revoked).get("/api/audit").status()).isEqualTo(200);
    assertThat(owner.delete(keys + "/" + toRevoke.string("key_id")).status()).isEqualTo(200);

    String agent = passport(owner, "first-agent");
    OWN.put("org_id", service.org());
    OWN.put("agent_id", agent);
    OWN.put("object_id", agent);
    OWN.put("badge", agent + ".svg");
    OWN.put("slug", "first-agent");
    OWN.put("framework", "claude-code");
    OWN.put("page", "errors");
    OWN.put("tag", "verify");
    OWN.put("token", "nothing");
    OWN.put("token_id", "tok_nothing");
    OWN.put("account_id", "acc_nothing");
    OWN.put("key_id", owner.post(keys, key(Scope.READ)).string("key_id"));
    String decision =
        owner
            .post(VERIFY, "{\"agent_id\": \"" + agent + "\", \"context\": {}}")
            .string("decision_id");
    OWN.put("decision_id", decision);
    OWN.put("record_id", decision);
    OWN.put("tile", "0/000.p/1");
    OWN.put("file", "nothing");
    OWN.put("approval_id", "apr_00000000000000000000000000000000");
    OWN.put("policy_id", "messaging.message.send.v1");
    OWN.put("version", "1");
    webhook(owner);
    OWN.put("kid", "decision-nothing");
    OWN.put("feed_name", "exchange_status");
    String sender = Questions.hosted(service, 9);
    OWN.put(
        "reservation_id",
        owner.post(VERIFY + "?reserve=true", Questions.message(sender)).string("reservation_id"));
    setupKeyOfAnother =
        owner
            .post(
                "/api/passports/" + passport(owner, "other-agent") + "/setup-key",
                key(Scope.values()))
            .string("key");

    String otherOrg = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    foreign =
        service.admin().post("/api/orgs/" + otherOrg + "/keys", key(Scope.values())).string("key");
  }

  @AfterAll
  static void nothingThatStrangersDidHasChangedAnything() {
    Reply passport = service.owner().get("/api/passports/" + OWN.get("agent_id"));
    assertThat(passport.string("status")).isEqualTo("active");
    assertThat(passport.string("role")).isEqualTo("agent");
  }

  @TestFactory
  List<DynamicTest> withoutCredential() {
    return each(
        "none",
        route -> {
          int status = RouteCalls.send(service.nobody(), route, RouteCalls.NOTHING, OWN).status();
          if (isOpen(route)) {
            assertThat(status).isNotIn(401, 403, 500);
          } else {
            assertThat(status).isEqualTo(401);
          }
        });
  }

  @TestFactory
  List<DynamicTest> withAWrongKey() {
    return each("wrong", route -> refusedWherever(service.withKey(WRONG), route));
  }

  @TestFactory
  List<DynamicTest> withAWrongBearer() {
    return each(
        "wrong bearer",
        route -> refusedWherever(service.nobody().with("Authorization", "Bearer guess"), route));
  }

  @TestFactory
  List<DynamicTest> withARevokedKey() {
    return each("revoked", route -> refusedWherever(service.withKey(revoked), route));
  }

  @TestFactory
  List<DynamicTest> withEachSingleScope() {
    var tests = new ArrayList<DynamicTest>();
    SINGLE_SCOPE_KEYS.forEach((scope, key) ->
        tests.addAll(
            each(
                scope.wire(),
                route -> {
                  int status =
                      RouteCalls.send(service.withKey(key), route, RouteCalls.NOTHING, OWN)
                          .status();
                  switch (route.permission()) {
                    case Permission.Open _, Permission.OptionalCredential _ ->
                        assertThat(status).isNotIn(401, 403, 500);
                    case Permission.Scoped _ when NEED_ANOTHER_SCOPE.contains(route.path()) ->
                        assertThat(status).isEqualTo(403);
                    case Permission.Scoped scoped -> opensOnlyFor(scoped.scope(), scope, status);
                    case Permission.ScopedOrAnonymous scoped ->
                        opensOnlyFor(scoped.scope(), scope, status);
                    case Permission.AnyCredential _ -> assertThat(status).isNotIn(401, 403, 500);
                    case Permission.AdminOnly _, Permission.Administrator _ ->
                        assertThat(status).isEqualTo(403);
                    case Permission.AdminOrUnauthorized _ -> assertThat(status).isEqualTo(401);
                    case Permission.Browser _ -> throw new AssertionError(route);
                  }
                })));
    return tests;
  }

  @TestFactory
  List<DynamicTest> withTheAdminToken() {
    return each(
        "admin",
        route ->
            assertThat(RouteCalls.send(service.admin(), route, RouteCalls.NOTHING, OWN).status())
                .isNotIn(401, 403, 500));
  }

  /** A resource of another organization is a 404, and no list shows anything of it. */
  @TestFactory
  List<DynamicTest> withAKeyOfAnotherOrganization() {
    return each(
        "other organization",
        route -> {
          Reply reply = RouteCalls.send(service.withKey(foreign), route, OWN, OWN);
          switch (route.permission()) {
            case Permission.Open _, Permission.OptionalCredential _ ->
                assertThat(reply.status()).isNotIn(401, 403, 500);
            case Permission.AdminOnly _, Permission.Administrator _ ->
                assertThat(reply.status()).isEqualTo(403);
            case Permission.AnyCredential _ -> {
              assertThat(reply.status()).isNotIn(401, 403, 500);
              assertThat(reply.text()).doesNotContain(OWN.get("agent_id"), service.org());
            }
            case Permission.AdminOrUnauthorized _ -> assertThat(reply.status()).isEqualTo(401);
            case Permission.Browser _ -> throw new AssertionError(route);
            case Permission.Scoped _, Permission.ScopedOrAnonymous _ -> {
              if (namesAResource(route)) {
                assertThat(reply.status()).as(reply.toString()).isEqualTo(404);
              } else {
                assertThat(reply.status()).as(reply.toString()).isNotIn(401, 403, 500);
                assertThat(reply.text()).doesNotContain(OWN.get("agent_id"), service.org());
              }
            }
          }
        });
  }

  /** A setup key never reaches another passport of its own organization. */
  @TestFactory
  List<DynamicTest> withASetupKeyOfAnotherPassport() {
    return each(
        "setup key",
        route -> {
          Reply reply = RouteCalls.send(service.withKey(setupKeyOfAnother), route, OWN, OWN);
          if (!isOpen(route)) {
            assertThat(reply.status() < 300 && reply.text().contains(OWN.get("agent_id")))
                .as(reply.toString())
                .isFalse();
            assertThat(namesAResource(route) && reply.status() < 300)
                .as(reply.toString())
                .isFalse();
          }
        });
  }

  private static List<DynamicTest> each(String credential, Consumer<Route> test) {
    return service.routes().stream()
        .filter(route -> !route.path().equals("/api/auth/refresh")) // takes its cookie alone
        // Answers 200 to everybody; HookFailureTest holds it.
        .filter(route -> route.failures() == null)
        // Pages know no credential but a session; ConsoleAccessTest holds them.
        .filter(route -> !(route.permission() instanceof Permission.Browser))
        .map(route ->
            DynamicTest.dynamicTest(
                route.method() + " " + route.path() + ": " + credential, () -> test.accept(route)))
        .toList();
  }

  private static void opensOnlyFor(Scope needed, Scope held, int status) {
    if (needed == held) {
      assertThat(status).isNotIn(401, 403, 500);
    } else {
      assertThat(status).isEqualTo(403);
    }
  }

  /** A bad credential is a 401 wherever credentials are looked at. */
  private static void refusedWherever(Calls calls, Route route) {
    int status = RouteCalls.send(calls, route, RouteCalls.NOTHING, OWN).status();
    if (route.permission() instanceof Permission.Open) {
      assertThat(status).isNotIn(401, 403, 500);
    } else {
      assertThat(status).isEqualTo(401);
    }
  }

  private static boolean isOpen(Route route) {
    return route.permission() instanceof Permission.Open
        || route.permission() instanceof Permission.OptionalCredential;
  }

  private static boolean namesAResource(Route route) {
    return route.path().contains("{") || RouteCalls.body(route, OWN).contains(OWN.get("agent_id"));
  }

  private static String passport(Calls owner, String slug) {
    return owner
        .post("/api/passports", "{\"name\": \"Agent\", \"slug\": \"" + slug + "\"}")
        .string("agent_id");
  }

  /** A webhook and a delivery that did not arrive: nothing is delivered to this machine. */
  private static void webhook(Calls owner) {
    Reply made =
        owner.post("/api/webhooks", "{\"url\": \"http://127.0.0.1:9\", \"retry_attempts\": 0}");
    String id = made.json().object("webhook").orElseThrow().string("webhook_id").orElseThrow();
    owner.put(
        "/api/passports/" + passport(owner, "third-agent") + "/status",
        "{\"status\": \"suspended\"}");
    Reply deliveries = owner.get("/api/webhooks/" + id + "/deliveries");
    JsonObject delivery = (JsonObject) deliveries.json().array("deliveries").orElseThrow().get(0);
    OWN.put("webhook_id", id);
    OWN.put("delivery_id", delivery.string("delivery_id").orElseThrow());
  }

  private static JsonObject key(Scope... scopes) {
    var names = new ArrayList<String>();
    for (Scope scope : scopes) {
      names.add(scope.wire());
    }
    return JsonObject.builder()
        .put("name", "Key")
        .put("scopes", JsonArray.ofStrings(names))
        .build();
  }
}

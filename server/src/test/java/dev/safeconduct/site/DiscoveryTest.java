package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How programs and people find their way on a server they know only the address of. */
final class DiscoveryTest {
  private static final String BASE = "https://pdp.example.com";

  /** Where whoever looks around begins. */
  private static final List<String> STARTS =
      List.of(
          "/",
          "/api",
          "/.well-known/api-catalog",
          "/.well-known/oap",
          "/.well-known/did.json",
          "/.well-known/security.txt",
          "/.well-known/authzen-configuration",
          "/auth.md",
          "/api.md",
          "/llms.txt",
          "/api/documentation");

  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?:" + Pattern.quote(BASE) + "|(?:href|src)=\")(/[^\\s\"'()<>`\\\\]*|(?=[\\s\"'`]))");

  @AutoClose
  private static final TestService service =
      TestService.start(
          Map.of("BASE_URL", BASE, "SECURITY_CONTACT", "mailto:security@example.com"));

  @Test
  void everyLinkOfEveryDocumentLeadsSomewhere() {
    var waiting = new ArrayDeque<>(STARTS);
    var seen = new HashSet<>(STARTS);
    var broken = new TreeMap<String, String>();
    while (!waiting.isEmpty()) {
      String path = waiting.removeFirst();
      Reply reply = service.nobody().get(path);
      // What wants a credential, a session or another method is there all the same.
      if (!List.of(200, 303, 401, 405).contains(reply.status())) {
        broken.put(path, reply.toString());
      }
      String type = reply.header("Content-Type").orElse("");
      if (reply.status() != 200 || path.startsWith("/assets/") || path.endsWith("openapi-json")) {
        continue;
      }
      Matcher found = ADDRESS.matcher(reply.text());
      while (found.find()) {
        String link = found.group(1).replaceAll("#.*|[.,;:]$", "").replaceAll("[.,;:]$", "");
        boolean template =
            link.contains("{") || link.contains("%7B") || found.group(1).endsWith("<");
        if (!template
            && !link.isEmpty()
            && !inExample(type, reply.text(), found.end())
            && seen.add(link)) {
          waiting.add(link);
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(seen).contains("/api/documentation/reference", "/.well-known/oap/jwks.json");
  }

  /** {@code …/<id>} in a text: not an address but the form of one. */
  private static boolean inExample(String type, String text, int end) {
    return !type.startsWith("text/html") && text.startsWith("<", end);
  }

  @Test
  void theCatalogueIsALinkSetAndHeadNamesIt() {
    for (String method : List.of("GET", "HEAD")) {
      Reply reply = service.nobody().send(method, "/.well-known/api-catalog", "");
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.header("Content-Type"))
          .contains(
              "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"");
      assertThat(reply.header("Link"))
          .contains("<" + BASE + "/.well-known/api-catalog>; rel=\"api-catalog\"");
    }
    Set<String> relations = new HashSet<>();
    service
        .nobody()
        .get("/.well-known/api-catalog")
        .json()
        .array("linkset")
        .orElseThrow()
        .forEach(context -> relations.addAll(((JsonObject) context).names()));
    assertThat(relations)
        .contains("anchor", "item", "service-desc", "service-doc", "service-meta", "status");
  }

  /** The specification's seventh rule of authentication. */
  @Test
  void callersAreToldToSendOnlyWhatADecisionNeeds() {
    for (String path :
        List.of(
            "/auth.md",
            "/api.md",
            "/api/openapi-json",
            "/api/documentation/getting-started",
            "/api/documentation/clients",
            "/api/documentation/security")) {
      assertThat(service.nobody().get(path).text().replaceAll("\\s+", " "))
          .as(path)
          .containsPattern("(?i)send only ")
          .containsPattern("(?i)personal data");
    }
  }

  @Test
  void authMarkdownNamesWhatIsNotOffered() {
    Reply reply = service.nobody().get("/auth.md");
    assertThat(reply.header("Content-Type")).contains("text/markdown; charset=utf-8");
    assertThat(reply.text())
        .contains("agent_auth", "identity_endpoint", "identity_assertion", "service_auth", "id-jag")
        .contains("X-API-Key", BASE + "/api/issue")
        .doesNotContain("{base_url}", "{issue_url}");
    // RFC 9728: a server that has no protected-resource metadata says so by a 404.
    assertThat(service.nobody().get("/.well-known/oauth-protected-resource").status())
        .isEqualTo(404);
    assertThat(service.nobody().get("/api/passports").header("WWW-Authenticate"))
        .contains("ApiKey realm=\"safeconduct\", Bearer realm=\"safeconduct\"");
  }

  @Test
  void theDiscoveryDocumentHasItsMembersAndNoOther() {
    JsonObject document = service.nobody().get("/.well-known/oap").json();
    assertThat(document.names())
        .containsExactly(
            "oap_version",
            "authorization_endpoint",
            "passport_endpoint",
            "policy_endpoint",
            "decision_endpoint",
            "jwks_uri",
            "supported_capabilities",
            "supported_assurance_levels",
            "agent_manifest_endpoint",
            "spec_uri",
            "contact");
    assertThat(document.string("contact")).contains("mailto:security@example.com");
    for (JsonValue capability : document.array("supported_capabilities").orElseThrow()) {
      assertThat(Json.text(capability)).doesNotContain("_");
    }
    assertThat(service.nobody().get("/.well-known/oap/").json()).isEqualTo(document);
  }

  @Test
  void theAddressOfIssuingIsNamedWhereItIsAnother() {
    String issue = "https://issue.example.com";
    try (TestService apart = TestService.start(Map.of("BASE_URL", BASE, "ISSUE_URL", issue))) {
      assertThat(apart.nobody().get("/.well-known/oap").string("issue_endpoint"))
          .isEqualTo(issue + "/api/issue");
      assertThat(apart.nobody().get("/.well-known/api-catalog").text())
          .contains("\"" + issue + "/api/issue\"");
      assertThat(apart.nobody().get("/api/documentation/reference").status()).isEqualTo(200);
      JsonObject paths =
          apart.nobody().get("/api/openapi-json").json().object("paths").orElseThrow();
      for (String path : List.of("/api/issue", "/api/claim/resend", "/claim/{token}")) {
        assertThat(
                Json.text(paths.object(path).flatMap(each -> each.array("servers")).orElseThrow()))
            .as(path)
            .isEqualTo("[{\"url\":\"" + issue + "\"}]");
      }
      assertThat(paths.object("/api/passports").orElseThrow().has("servers")).isFalse();
    }
  }

  @Test
  void theKeySetHasItsMediaType() {
    for (String path : List.of("/jwks.json", "/.well-known/oap/jwks.json")) {
      assertThat(service.nobody().get(path).header("Content-Type"))
          .contains("application/jwk-set+json");
    }
  }

  @Test
  void everyPackIsIdentifiedByPolicyId() {
    JsonArray packs = (JsonArray) service.nobody().get("/api/policies").value();
    for (JsonValue each : packs) {
      var pack = (JsonObject) each;
      assertThat(pack.string("policy_id")).isPresent().isEqualTo(pack.string("id"));
      Reply one = service.nobody().get("/api/policies/" + pack.string("id").orElseThrow());
      assertThat(one.json()).isEqualTo(pack);
      assertThat(one.header("X-Policy-Digest")).contains(CanonicalJson.digest(pack));
    }
  }

  @Test
  void securityTextSaysWhomToTellAndForHowLong() {
    String text = service.nobody().get("/.well-known/security.txt").text();
    assertThat(text).contains("Contact: mailto:security@example.com\n");
    Matcher expires = Pattern.compile("(?m)^Expires: (.+)$").matcher(text);
    assertThat(expires.find()).isTrue();
    assertThat(Instant.parse(expires.group(1)))
        .isBetween(
            Instant.now().plus(Duration.ofDays(30)), Instant.now().plus(Duration.ofDays(365)));
    try (TestService nameless = TestService.start()) {
      assertThat(nameless.nobody().get("/.well-known/security.txt").text())
          .containsPattern("(?m)^Contact: http://.+/api/documentation/security$");
    }
  }

  @Test
  void theDidDocumentsHoldTheKeysThatAreUsed() {
    String agent =
        service
            .owner()
            .post("/api/passports", "{\"name\": \"Keyed\"}")
            .json()
            .string("agent_id")
            .orElseThrow();
    JsonObject own = service.nobody().get("/.well-known/did.json").json();
    assertThat(own.string("id")).contains("did:web:pdp.example.com");
    JsonArray keys = service.nobody().get("/jwks.json").json().array("keys").orElseThrow();
    assertThat(own.array("verificationMethod").orElseThrow().elements())
        .hasSameSizeAs(keys.elements());

    Reply reply = service.nobody().get("/api/agents/" + agent + "/did.json");
    assertThat(reply.header("Content-Type")).contains("application/did+json");
    String did = "did:web:pdp.example.com:api:agents:" + agent;
    assertThat(reply.string("id")).isEqualTo(did);
    JsonObject method =
        (JsonObject) reply.json().array("verificationMethod").orElseThrow().elements().getFirst();
    assertThat(method.string("id")).contains(did + "#key-1");
    String kid = method.object("publicKeyJwk").flatMap(key -> key.string("kid")).orElseThrow();
    assertThat(service.nobody().get("/api/verify/" + agent).string("kid")).isEqualTo(kid);
    assertThat(service.nobody().get("/api/agents/nobody/did.json").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyClaimedActiveAgentsWhoseOwnersWishItAreListed(boolean postgres) {
    Map<String, String> settings = postgres ? EachStore.POSTGRES.settings() : Map.of();
    try (TestService fresh = TestService.start(settings)) {
      Calls owner = fresh.owner();
      String shown = "\"metadata\": {\"show_in_gallery\": true}";
      owner.post("/api/passports", "{\"name\": \"Quiet\"}");
      String first = issue(owner, "{\"name\": \"First\", " + shown + "}");
      String second = issue(owner, "{\"name\": \"Second\", " + shown + "}");
      issue(owner, "{\"name\": \"Draft\", \"status\": \"draft\", " + shown + "}");
      fresh
          .nobody()
          .post(
              "/api/issue",
              "{\"name\": \"Unclaimed\", \"description\": \"Nobody has claimed it yet.\","
                  + " \"email\": \"human@example.com\", \"showInGallery\": true}");
      assertThat(listed(fresh.nobody().get("/.well-known/oap/agents/")))
          .containsExactly(second, first);
      Reply page = fresh.nobody().get("/.well-known/oap/agents/?limit=1");
      assertThat(listed(page)).containsExactly(second);
      assertThat(
              listed(
                  fresh
                      .nobody()
                      .get(
                          "/.well-known/oap/agents/?limit=1&cursor=" + page.string("next_cursor"))))
          .containsExactly(first);
      assertThat(page.text()).doesNotContain("show_in_gallery").doesNotContain("limits");

      owner.patch("/api/passports/" + second, "{\"metadata\": {\"show_in_gallery\": false}}");
      owner.put("/api/passports/" + first + "/status", "{\"status\": \"suspended\"}");
      assertThat(listed(fresh.nobody().get("/.well-known/oap/agents/"))).isEmpty();
    }
  }

  private static String issue(Calls owner, String body) {
    Reply reply = owner.post("/api/passports", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.string("agent_id");
  }

  private static List<String> listed(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json().array("agents").orElseThrow().elements().stream()
        .map(agent -> ((JsonObject) agent).string("agent_id").orElseThrow())
        .toList();
  }
}

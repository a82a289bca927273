package dev.safeconduct.site;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Did;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * DID documents of the method {@code web}: the service's own at {@code /.well-known/did.json}, and
 * one for each agent. An agent has no key of its own here. Its {@code #key-1} is the key with which
 * this service signs statements about passports, and the service controls it.
 */
public final class DidDocumentEndpoints {
  private static final JsonArray CONTEXT =
      JsonArray.ofStrings(
          List.of("https://www.w3.org/ns/did/v1", "https://w3id.org/security/jwk/v1"));

  private final URI baseUrl;
  private final Supplier<JsonObject> keySet;
  private final Supplier<String> passportKid;
  private final Passports passports;

  /**
   * @param keySet the public keys as a JWK set
   * @param passportKid the key that signs statements about passports
   */
  public DidDocumentEndpoints(
      URI baseUrl, Supplier<JsonObject> keySet, Supplier<String> passportKid, Passports passports) {
    this.baseUrl = baseUrl;
    this.keySet = keySet;
    this.passportKid = passportKid;
    this.passports = passports;
  }

  /**
   * Returns the routes. An address with a path has its document below that path (method {@code
   * web}, section 2.5.2).
   */
  public List<Route> routes() {
    var routes = new ArrayList<Route>();
    routes.add(Route.get("/.well-known/did.json", Permission.OPEN, this::own));
    routes.add(Route.get("/api/agents/{agent_id}/did.json", Permission.OPEN, this::agents));
    if (!baseUrl.getPath().isEmpty()) {
      routes.add(Route.get("/did.json", Permission.OPEN, this::own));
    }
    return routes;
  }

  private Response own(Request request) {
    String did = Did.of(baseUrl);
    var methods = new ArrayList<JsonValue>();
    var names = new ArrayList<JsonValue>();
    for (JsonObject key : keySet.get().objects("keys")) {
      String name = did + "#" + key.string("kid").orElseThrow();
      methods.add(method(name, did, key));
      names.add(new JsonString(name));
    }
    return answer(
        JsonObject.builder()
            .put("@context", CONTEXT)
            .put("id", did)
            .put("verificationMethod", new JsonArray(methods))
            .put("assertionMethod", new JsonArray(names))
            .put(
                "service",
                JsonArray.of(
                    service(did + "#policy-decision-point", "PolicyDecisionPoint", "/api")))
            .build());
  }

  private Response agents(Request request) {
    String named = request.pathParam("agent_id");
    AgentId id = AgentId.hosted(named).orElseThrow(() -> NotFoundProblems.passport(named));
    Passport passport = passports.find(id).orElseThrow(() -> NotFoundProblems.passport(id));
    String owner = Did.of(baseUrl);
    String did = Did.ofAgent(baseUrl, passport.agentId().value());
    String kid = passportKid.get();
    JsonObject key =
        keySet.get().objects("keys").stream()
            .filter(one -> one.string("kid").filter(kid::equals).isPresent())
            .findFirst()
            .orElseThrow();
    String name = did + "#key-1";
    return answer(
        JsonObject.builder()
            .put("@context", CONTEXT)
            .put("id", did)
            .put("controller", owner)
            .put("verificationMethod", JsonArray.of(method(name, owner, key)))
            .put("assertionMethod", JsonArray.ofStrings(List.of(name)))
            .put(
                "service",
                JsonArray.of(
                    service(
                        did + "#passport",
                        "AgentPassport",
                        "/api/verify/" + passport.agentId().value())))
            .build());
  }

  private static JsonObject method(String name, String controller, JsonObject key) {
    JsonObject.Builder jwk = JsonObject.builder();
    for (String member : List.of("kty", "crv", "x", "kid", "alg")) {
      key.string(member).ifPresent(value -> jwk.put(member, value));
    }
    return JsonObject.builder()
        .put("id", name)
        .put("type", "JsonWebKey")
        .put("controller", controller)
        .put("publicKeyJwk", jwk.build())
        .build();
  }

  private JsonObject service(String name, String type, String path) {
    return JsonObject.builder()
        .put("id", name)
        .put("type", type)
        .put("serviceEndpoint", baseUrl + path)
        .build();
  }

  private static Response answer(JsonObject document) {
    return Response.bytes(
            200, "application/did+json", Json.text(document).getBytes(StandardCharsets.UTF_8))
        .header("Cache-Control", "public, max-age=60");
  }
}

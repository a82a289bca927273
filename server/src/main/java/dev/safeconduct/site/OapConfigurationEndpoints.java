package dev.safeconduct.site;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code GET /.well-known/oap}, with and without a slash at its end: the service's addresses, and
 * the capabilities and assurance levels it knows.
 */
public final class OapConfigurationEndpoints {
  /** The document's own pattern, which allows no underscore. */
  private static final Pattern SHOWN = Pattern.compile("[a-z0-9]+(?:[.-][a-z0-9]+)*");

  private final byte[] document;

  /** {@code issueUrl} is named only if it differs: OAP's document has no such member. */
  public OapConfigurationEndpoints(
      String baseUrl,
      String issueUrl,
      Collection<String> capabilities,
      List<String> assuranceLevels,
      Optional<URI> contact) {
    List<String> shown =
        capabilities.stream().filter(id -> SHOWN.matcher(id).matches()).sorted().toList();
    JsonObject.Builder body =
        JsonObject.builder()
            .put("oap_version", "1.0")
            .put("authorization_endpoint", baseUrl + "/api/verify/{agent_id}")
            .put("passport_endpoint", baseUrl + "/api/passports/{agent_id}")
            .put("policy_endpoint", baseUrl + "/api/policies/{policy_name}")
            .put("decision_endpoint", baseUrl + "/api/verify/decisions/get/{decision_id}")
            .put("jwks_uri", baseUrl + "/.well-known/oap/jwks.json")
            .put("supported_capabilities", JsonArray.ofStrings(shown))
            .put("supported_assurance_levels", JsonArray.ofStrings(assuranceLevels))
            .put("agent_manifest_endpoint", baseUrl + "/.well-known/oap/agents/")
            .put("spec_uri", baseUrl + "/api/documentation");
    if (!issueUrl.equals(baseUrl)) {
      body.put("issue_endpoint", issueUrl + "/api/issue");
    }
    contact.ifPresent(address -> body.put("contact", address.toString()));
    this.document = Json.bytes(body.build());
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/.well-known/oap", Permission.OPEN, this::read),
        Route.get("/.well-known/oap/", Permission.OPEN, this::read));
  }

  private Response read(Request request) {
    return Response.bytes(200, "application/json", document)
        .header("Cache-Control", "public, max-age=300");
  }
}

package dev.safeconduct.authzen;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Signer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * What the service says of itself as a policy decision point (AuthZEN section 9), plain and signed:
 * {@code signed_metadata} is an EdDSA JWT by a key of the public key set.
 */
public final class MetadataEndpoint {
  private static final String WELL_KNOWN = "/.well-known/authzen-configuration";

  private final String basePath;
  private final byte[] metadata;

  /**
   * Signs the metadata once.
   *
   * @param baseUrl the public address, from configuration
   * @param now when it is signed
   */
  public MetadataEndpoint(URI baseUrl, Signer signer, Instant now) {
    String base = baseUrl.toString();
    JsonObject plain =
        JsonObject.builder()
            .put("policy_decision_point", base)
            .put("access_evaluation_endpoint", base + AuthzenEndpoints.EVALUATION)
            .put("access_evaluations_endpoint", base + AuthzenEndpoints.EVALUATIONS)
            .put("search_subject_endpoint", base + AuthzenEndpoints.SEARCH_SUBJECT)
            .put("search_resource_endpoint", base + AuthzenEndpoints.SEARCH_RESOURCE)
            .put("search_action_endpoint", base + AuthzenEndpoints.SEARCH_ACTION)
            .build();
    JsonObject.Builder claims =
        JsonObject.builder().put("iss", base).put("iat", now.getEpochSecond()).putAll(plain);
    this.metadata =
        Json.bytes(plain.toBuilder().put("signed_metadata", token(signer, claims.build())).build());
    this.basePath = baseUrl.getPath();
  }

  /** RFC 7515 section 7.1. */
  private static String token(Signer signer, JsonObject claims) {
    JsonObject header =
        JsonObject.builder().put("alg", "EdDSA").put("kid", signer.kid()).put("typ", "JWT").build();
    String signed = base64(Json.bytes(header)) + "." + base64(Json.bytes(claims));
    return signed + "." + base64(signer.sign(signed.getBytes(StandardCharsets.US_ASCII)));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * The well-known path goes between the host and the path of the public address (section 9.2), so
   * an address with a path has two.
   */
  public List<Route> routes() {
    var routes = new ArrayList<Route>();
    routes.add(Route.get(WELL_KNOWN, Permission.OPEN, this::read));
    if (!basePath.isEmpty()) {
      routes.add(Route.get(WELL_KNOWN + basePath, Permission.OPEN, this::read));
    }
    return routes;
  }

  private Response read(Request request) {
    return Response.bytes(200, "application/json", metadata)
        .header("Cache-Control", "public, max-age=60");
  }
}

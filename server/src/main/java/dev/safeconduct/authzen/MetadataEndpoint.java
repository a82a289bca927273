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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The service's metadata as a policy decision point (AuthZEN section 9), plain and signed. {@code
 * signed_metadata} is an EdDSA JWT by a key of the public key set.
 */
public final class MetadataEndpoint {
  private static final String WELL_KNOWN = "/.well-known/authzen-configuration";

  private final String basePath;
  private final JsonObject plain;
  private final JsonObject claims;
  private final Supplier<Signer> signers;
  private volatile @Nullable Signed signed;

  /** The document signed by the key with this name. */
  @SuppressWarnings("ArrayRecordComponent") // sent, never compared
  private record Signed(String kid, byte[] document) {}

  /**
   * Signs the metadata once for each key.
   *
   * @param baseUrl the public address, from configuration
   * @param now the time of the signature
   */
  public MetadataEndpoint(URI baseUrl, Supplier<Signer> signers, Instant now) {
    String base = baseUrl.toString();
    this.plain =
        JsonObject.builder()
            .put("policy_decision_point", base)
            .put("access_evaluation_endpoint", base + AuthzenEndpoints.EVALUATION)
            .put("access_evaluations_endpoint", base + AuthzenEndpoints.EVALUATIONS)
            .put("search_subject_endpoint", base + AuthzenEndpoints.SEARCH_SUBJECT)
            .put("search_resource_endpoint", base + AuthzenEndpoints.SEARCH_RESOURCE)
            .put("search_action_endpoint", base + AuthzenEndpoints.SEARCH_ACTION)
            .build();
    this.claims =
        JsonObject.builder()
            .put("iss", base)
            .put("iat", now.getEpochSecond())
            .putAll(plain)
            .build();
    this.signers = signers;
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

  private byte[] metadata() {
    Signer signer = signers.get();
    Signed known = signed;
    if (known == null || !known.kid().equals(signer.kid())) {
      JsonObject whole = plain.toBuilder().put("signed_metadata", token(signer, claims)).build();
      known = new Signed(signer.kid(), Json.bytes(whole));
      signed = known;
    }
    return known.document();
  }

  private Response read(Request request) {
    return Response.bytes(200, "application/json", metadata())
        .header("Cache-Control", "public, max-age=60");
  }
}

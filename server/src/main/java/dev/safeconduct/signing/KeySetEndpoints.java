package dev.safeconduct.signing;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import java.util.List;

/** The endpoints of the public keys for verifying this service's signatures. */
public final class KeySetEndpoints {
  private final KeyRing keys;

  public KeySetEndpoints(KeyRing keys) {
    this.keys = keys;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/.well-known/oap/jwks.json", Permission.OPEN, this::keySet),
        Route.get("/jwks.json", Permission.OPEN, this::keySet));
  }

  private Response keySet(Request request) {
    return Response.bytes(200, "application/jwk-set+json", Json.bytes(keys.jwks()))
        .header("Cache-Control", "public, max-age=60");
  }
}

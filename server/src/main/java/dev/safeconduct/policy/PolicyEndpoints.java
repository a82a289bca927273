package dev.safeconduct.policy;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Endpoints of the public packs: {@code GET /api/policies} and one pack by its id. */
public final class PolicyEndpoints {
  private final PolicyCatalog catalog;
  private final UnaryOperator<String> idOfToday;
  private final byte[] all;
  private final String allTag;

  /** Creates the endpoints; {@code idOfToday} translates older pack ids that clients still use. */
  public PolicyEndpoints(PolicyCatalog catalog, UnaryOperator<String> idOfToday) {
    this.catalog = catalog;
    this.idOfToday = idOfToday;
    JsonArray packs =
        new JsonArray(catalog.all().stream().<JsonValue>map(PolicyPack::document).toList());
    this.all = Json.bytes(packs);
    this.allTag = tag(CanonicalJson.digest(packs));
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/policies", Permission.OPEN, this::list),
        Route.get("/api/policies/{policy_id}", Permission.OPEN, this::one));
  }

  private Response list(Request request) {
    return answer(request, all, allTag);
  }

  private Response one(Request request) {
    String id = request.pathParam("policy_id");
    PolicyPack pack =
        catalog
            .find(idOfToday.apply(id))
            .orElseThrow(() ->
                ProblemException.notFound(
                    "No policy pack of that id is known; GET /api/policies lists them.",
                    "unknown_policy",
                    PolicyId.parse(id).isPresent() ? Map.of("policy_id", id) : Map.of()));
    Optional<String> format = request.query("format");
    if (format.isEmpty() || format.get().equals("json")) {
      return answer(request, Json.bytes(pack.document()), tag(pack.digest()))
          .header("X-Policy-Digest", pack.digest());
    }
    if (format.get().equals("schema")) {
      JsonObject schema = pack.document().child("required_context");
      return answer(request, Json.bytes(schema), tag(CanonicalJson.digest(schema)));
    }
    throw ProblemException.invalid("format", "format must be json or schema.");
  }

  private static Response answer(Request request, byte[] body, String tag) {
    Response response =
        request.header("If-None-Match").filter(known -> known.contains(tag)).isPresent()
            ? Response.empty(304)
            : Response.bytes(200, "application/json", body);
    return response.header("ETag", tag).header("Cache-Control", "public, max-age=60");
  }

  private static String tag(String digest) {
    return "\"" + digest + "\"";
  }
}

package dev.safeconduct.site;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Lazy;
import java.util.List;

/**
 * {@code GET /api/openapi-json}: the {@link Contract}; {@code GET /api}: links to the documents.
 */
public final class ContractEndpoint {
  private final Lazy<byte[]> contract;
  private final Lazy<JsonObject> index;

  public ContractEndpoint(Contract contract, String baseUrl) {
    this.contract = new Lazy<>(() -> Json.bytes(contract.document()));
    this.index = new Lazy<>(() -> index(contract, baseUrl));
  }

  private static JsonObject index(Contract contract, String baseUrl) {
    return JsonObject.builder()
        .put("ok", true)
        .put("name", "Safeconduct")
        .put("version", contract.version())
        .put("documentation", baseUrl + "/api/documentation")
        .put("openapi", baseUrl + "/api/openapi-json")
        .put("auth", baseUrl + "/auth.md")
        .build();
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api", Permission.OPEN, _ -> Response.json(200, index.get())),
        Route.get(
            "/api/openapi-json",
            Permission.OPEN,
            _ ->
                Response.bytes(200, "application/json", contract.get())
                    .header("Cache-Control", "public, max-age=60")));
  }
}

package dev.safeconduct.discovery;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** {@code GET /api/openapi-json}: the OpenAPI 3.1 contract with this service's own address. */
public final class ContractEndpoint {
  private static final String RESOURCE = "/api/openapi.json";

  private final byte[] contract;

  /** {@code baseUrl}: the public address, from configuration. */
  public ContractEndpoint(String baseUrl) {
    JsonObject server = JsonObject.builder().put("url", baseUrl).build();
    this.contract = Json.bytes(published().with("servers", JsonArray.of(server)));
  }

  public List<Route> routes() {
    return List.of(Route.get("/api/openapi-json", Permission.OPEN, this::read));
  }

  private Response read(Request request) {
    return Response.bytes(200, "application/json", contract)
        .header("Cache-Control", "public, max-age=60");
  }

  private static JsonObject published() {
    try (InputStream in = ContractEndpoint.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the program");
      }
      return Json.parseObject(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonFault e) {
      throw new IllegalStateException(RESOURCE + " is not JSON", e);
    }
  }
}

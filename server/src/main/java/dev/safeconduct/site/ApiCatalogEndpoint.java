package dev.safeconduct.site;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** {@code GET /.well-known/api-catalog}: RFC 9727, a link set (RFC 9264) of the service's APIs. */
public final class ApiCatalogEndpoint {
  private static final String PATH = "/.well-known/api-catalog";
  private static final String TYPE =
      "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";

  private final byte[] links;
  private final String self;

  public ApiCatalogEndpoint(Published published) {
    this.links = published.text("api-catalog.json").getBytes(StandardCharsets.UTF_8);
    this.self = "<" + published.baseUrl() + PATH + ">; rel=\"api-catalog\"";
  }

  /** Section 2: a {@code HEAD} too names the catalogue in {@code Link}. */
  public List<Route> routes() {
    return List.of(
        Route.get(
            PATH,
            Permission.OPEN,
            _ ->
                Response.bytes(200, TYPE, links)
                    .header("Link", self)
                    .header("Cache-Control", "public, max-age=300")));
  }
}

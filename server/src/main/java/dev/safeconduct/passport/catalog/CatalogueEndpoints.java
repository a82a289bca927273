package dev.safeconduct.passport.catalog;

import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.text.Sha256;
import java.util.List;

/** {@code GET /api/schema/capabilities-limits}: the capabilities and limits a passport may have. */
public final class CatalogueEndpoints {
  private final byte[] body;
  private final EntityTag tag;

  public CatalogueEndpoints(Catalogue catalogue) {
    this.body = Json.bytes(CatalogueSchema.of(catalogue));
    this.tag = new EntityTag(Sha256.hex(body).substring(0, 32));
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/schema/capabilities-limits", new Permission.Open(), this::schema));
  }

  private Response schema(Request request) {
    boolean known = request.header("If-None-Match").filter(tag::satisfiesIfNoneMatch).isPresent();
    return (known ? Response.empty(304) : Response.bytes(200, "application/json", body))
        .header("ETag", tag.header())
        .header("Cache-Control", "public, max-age=60");
  }
}

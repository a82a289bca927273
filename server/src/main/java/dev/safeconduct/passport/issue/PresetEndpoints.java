package dev.safeconduct.passport.issue;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Map;

/**
 * {@code /api/public/framework-passport-presets}: the initial permissions of agents by framework.
 */
public final class PresetEndpoints {
  private static final String PRESETS = "/api/public/framework-passport-presets";
  private static final int SHOWN = 64;

  private final Presets presets;
  private final byte[] list;

  public PresetEndpoints(Presets presets) {
    this.presets = presets;
    List<JsonValue> all = presets.all().stream().<JsonValue>map(Preset::json).toList();
    this.list = Json.bytes(JsonObject.of("presets", new JsonArray(all)));
  }

  public List<Route> routes() {
    return List.of(
        Route.get(PRESETS, Permission.OPEN, this::list),
        Route.get(PRESETS + "/{framework}", Permission.OPEN, this::one));
  }

  private Response list(Request request) {
    return cached(Response.bytes(200, "application/json", list));
  }

  private Response one(Request request) {
    String framework = request.pathParam("framework");
    Preset preset = presets.find(framework).orElseThrow(() -> unknown(framework));
    return cached(Response.json(JsonObject.of("data", preset.json())));
  }

  private static Response cached(Response response) {
    return response
        .header("ETag", '"' + Integer.toHexString(java.util.Arrays.hashCode(response.body())) + '"')
        .header("Cache-Control", "public, max-age=60");
  }

  private static RuntimeException unknown(String framework) {
    String shown = Excerpt.clip(framework, SHOWN);
    return ProblemException.notFound(
        "No preset " + shown + " is known; GET " + PRESETS + " lists all of them.",
        "preset_not_found",
        Map.of("framework", shown));
  }
}

package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.telemetry.Metrics;
import java.util.List;

/** The routes for supervisors: {@code /healthz}, {@code /readyz}, {@code /metrics}. */
final class HealthRoutes {
  /** The text format of Prometheus, which is the default. */
  private static final String TEXT = "text/plain";

  private static final JsonObject OK = JsonObject.builder().put("ok", true).build();

  private final Readiness readiness;
  private final List<HealthCheck> parts;
  private final Metrics metrics;

  HealthRoutes(Readiness readiness, List<HealthCheck> parts, Metrics metrics) {
    this.readiness = readiness;
    this.parts = List.copyOf(parts);
    this.metrics = metrics;
  }

  List<Route> all() {
    return List.of(
        Route.get("/healthz", Permission.OPEN, _ -> Response.json(200, OK)),
        Route.get("/readyz", Permission.OPEN, this::readyz),
        // Some existing clients check these before any other request.
        Route.get("/health", Permission.OPEN, this::readyz),
        Route.get("/api/health", Permission.OPEN, this::readyz),
        Route.get("/api/status", Permission.OPEN, this::readyz),
        Route.get("/metrics", Permission.ADMIN_ONLY, this::scrape),
        Route.get(
            "/api/metrics", Permission.ADMIN_ONLY, _ -> samples(metrics.scrape(TEXT).text())));
  }

  private Response readyz(Request request) {
    if (!readiness.isReady()) {
      throw new Problem.Unavailable("The server is starting or stopping; ask again.", 1)
          .toException();
    }
    JsonObject.Builder states = JsonObject.builder();
    for (HealthCheck part : parts) {
      if (!part.works().getAsBoolean()) {
        throw new Problem.Unavailable(
                "The server cannot answer now: " + part.name() + " does not work.", 1)
            .toException();
      }
      states.put(part.name(), "ok");
    }
    return Response.json(200, OK.with("parts", states.build()));
  }

  private Response scrape(Request request) {
    Metrics.Scrape scrape = metrics.scrape(request.header("Accept").orElse(TEXT));
    return Response.bytes(200, scrape.contentType(), scrape.body()).header("Vary", "Accept");
  }

  /** Returns the same samples as JSON: each sample's value under its name and labels. */
  private static Response samples(String scraped) {
    JsonObject.Builder samples = JsonObject.builder();
    for (String line : scraped.split("\n", -1)) {
      int space = line.lastIndexOf(' ');
      if (space > 0 && !line.startsWith("#")) {
        double value = Double.parseDouble(line.substring(space + 1));
        if (Double.isFinite(value)) {
          samples.put(line.substring(0, space), value);
        }
      }
    }
    return Response.json(
        JsonObject.builder().put("service", "safeconduct").put("metrics", samples.build()));
  }
}

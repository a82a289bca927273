package dev.safeconduct.http;

import dev.safeconduct.http.Metrics.RouteMeters;
import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.telemetry.RequestSpan;
import dev.safeconduct.telemetry.Traces;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The traces and metrics of requests. */
final class Observation {
  /** Supervisors poll these constantly; spans for them would have no value. */
  private static final Set<String> UNTRACED = Set.of("/healthz", "/readyz", "/metrics");

  private final Map<Route, RouteMeters> meters = new HashMap<>();
  private final RouteMeters unrouted;
  private final StageTimes stages;
  private final Traces traces;
  private final InstantSource clock;

  Observation(List<Route> routes, Metrics metrics, Traces traces, InstantSource clock) {
    for (Route route : routes) {
      meters.put(route, metrics.route(route.method(), route.path()));
    }
    this.unrouted = metrics.route("ANY", "unrouted");
    this.stages = metrics.stages();
    this.traces = traces;
    this.clock = clock;
  }

  /** Begins the request's span; null when it is not traced. */
  @Nullable RequestSpan span(Call call, long nanos) {
    if (!traces.isOn() || UNTRACED.contains(call.path())) {
      return null;
    }
    RequestHeaders headers = call.headers();
    List<String> parents = headers.all("traceparent");
    return traces.begin(
        call.method(),
        parents.size() == 1 ? parents.getFirst() : null,
        parents.isEmpty() ? "" : String.join(",", headers.all("tracestate")),
        clock.instant(),
        nanos);
  }

  void recordStages(ServerTiming timing) {
    timing.forEach(stages::record);
  }

  void record(@Nullable Route route, int status, long nanos) {
    RouteMeters meter = route == null ? unrouted : meters.getOrDefault(route, unrouted);
    meter.record(status, nanos);
  }
}

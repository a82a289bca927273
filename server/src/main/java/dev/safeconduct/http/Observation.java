package dev.safeconduct.http;

import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.telemetry.Metrics;
import dev.safeconduct.telemetry.RequestSpan;
import dev.safeconduct.telemetry.RouteMeters;
import dev.safeconduct.telemetry.Traces;
import dev.safeconduct.telemetry.VerifyTimes;
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

  /** A deny has this status too. */
  private static final int DECIDED = 200;

  private final Map<Route, RouteMeters> meters = new HashMap<>();
  private final RouteMeters unrouted;
  private final VerifyTimes times;
  private final Traces traces;
  private final InstantSource clock;

  Observation(List<Route> routes, Metrics metrics, Traces traces, InstantSource clock) {
    for (Route route : routes) {
      meters.put(route, metrics.route(route.method(), route.path()));
    }
    this.unrouted = metrics.route("ANY", "unrouted");
    this.times = metrics.verifyTimes();
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
    timing.forEach(times::stage);
  }

  void record(@Nullable Route route, int status, long nanos) {
    RouteMeters meter = route == null ? unrouted : meters.getOrDefault(route, unrouted);
    meter.record(status, nanos);
    if (status == DECIDED && route != null && route.verifies()) {
      times.whole(nanos);
    }
  }
}

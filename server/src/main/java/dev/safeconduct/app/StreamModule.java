package dev.safeconduct.app;

import dev.safeconduct.audit.stream.AuditStreams;
import dev.safeconduct.audit.stream.StreamCounts;
import dev.safeconduct.audit.stream.StreamEndpoints;
import dev.safeconduct.http.Route;
import dev.safeconduct.telemetry.LabeledCounter;
import dev.safeconduct.telemetry.Metrics;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** Sends the audit log to the operator's destinations. */
record StreamModule(AuditStreams streams, List<Route> routes) implements FeatureModule {
  private static final String DESTINATION = "destination";

  static StreamModule of(Platform platform) {
    Metrics metrics = platform.metrics();
    LabeledCounter sent =
        metrics.tally("safeconduct.audit.stream.sent", "Records sent, again or not", DESTINATION);
    LabeledCounter failed =
        metrics.tally("safeconduct.audit.stream.failed", "Attempts that failed", DESTINATION);
    LabeledCounter setAside =
        metrics.tally(
            "safeconduct.audit.stream.set.aside",
            "Records that a destination refused while it accepted others",
            DESTINATION);
    URI base = platform.config().http().baseUrl();
    var streams =
        new AuditStreams(
            platform.config().audit().streams(),
            platform.store(),
            new AuditStreams.Sender(
                Version.current(), Objects.requireNonNullElse(base.getHost(), "")),
            name -> new StreamCounts(name, sent, failed, setAside),
            platform.clock());
    for (String name : streams.names()) {
      gauge(
          platform,
          name,
          "lag.records",
          "Records not acknowledged yet",
          lagged -> lagged.records(),
          streams);
      gauge(
          platform,
          name,
          "lag.seconds",
          "Age of the oldest record that is not acknowledged yet",
          lagged -> lagged.age().toMillis() / 1e3,
          streams);
    }
    return new StreamModule(streams, new StreamEndpoints(streams).routes());
  }

  private static void gauge(
      Platform platform,
      String name,
      String what,
      String about,
      ToDoubleFunction<AuditStreams.Lag> value,
      AuditStreams streams) {
    platform
        .metrics()
        .gauge(
            "safeconduct.audit.stream." + what,
            about,
            DESTINATION,
            name,
            () -> value.applyAsDouble(streams.lag(name)));
  }

  @Override
  public void start() {
    streams.start();
  }

  @Override
  public void stop() {
    streams.close();
  }
}

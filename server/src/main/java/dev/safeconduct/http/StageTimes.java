package dev.safeconduct.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Histograms of the duration of verification stages. */
final class StageTimes {
  private static final Duration[] BOUNDS = {
    Duration.ofNanos(50_000),
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(2)
  };

  private final MeterRegistry registry;
  private final Map<String, Timer> timers = new ConcurrentHashMap<>();

  StageTimes(MeterRegistry registry) {
    this.registry = registry;
  }

  void record(String stage, long nanos) {
    timers.computeIfAbsent(stage, this::timer).record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(String stage) {
    return Timer.builder("safeconduct.verify.stage")
        .description("Time of a verification's stages, as in Server-Timing")
        .tag("stage", stage)
        .serviceLevelObjectives(BOUNDS)
        .register(registry);
  }
}

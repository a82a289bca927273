package dev.safeconduct.trace;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which traces are kept, by the names of {@code OTEL_TRACES_SAMPLER} (OpenTelemetry specification,
 * "General SDK Configuration"). The parent-based ones keep to a caller's own decision about its
 * trace and decide only where a trace begins; the others decide always, whatever a caller has said.
 */
public enum Sampling {
  ALWAYS_ON,
  ALWAYS_OFF,
  /** The share of {@code OTEL_TRACES_SAMPLER_ARG}, told by the trace's id. */
  TRACEIDRATIO,
  PARENTBASED_ALWAYS_ON,
  PARENTBASED_ALWAYS_OFF,
  PARENTBASED_TRACEIDRATIO;

  static Optional<Sampling> named(String name) {
    return Arrays.stream(values()).filter(each -> each.toString().equals(name)).findFirst();
  }

  static String names() {
    return Arrays.stream(values()).map(Sampling::toString).collect(Collectors.joining(", "));
  }

  /** As the variable has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

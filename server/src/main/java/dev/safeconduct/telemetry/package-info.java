/**
 * Metrics for Prometheus; traces, metrics and logs for an OpenTelemetry collector if one is
 * configured.
 */
@NullMarked
package dev.safeconduct.telemetry;

import org.jspecify.annotations.NullMarked;

/** Traces of requests, sent to an OpenTelemetry collector if one is configured. */
@NullMarked
package dev.safeconduct.telemetry;

import org.jspecify.annotations.NullMarked;

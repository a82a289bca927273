/** Traces of requests, told to an OpenTelemetry collector where one is configured. */
@NullMarked
package dev.safeconduct.trace;

import org.jspecify.annotations.NullMarked;

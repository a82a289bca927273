/**
 * The audit log as a stream to the operator's destinations: syslog, HTTP and OTLP. {@code
 * AuditStreams} is the entry point.
 */
@NullMarked
package dev.safeconduct.audit.stream;

import org.jspecify.annotations.NullMarked;

package dev.safeconduct.gateway.http;

import java.time.Duration;
import java.util.Optional;

/**
 * One event of a stream of type {@code text/event-stream}.
 *
 * @param id the position to resume from, where the event sets one
 * @param data the lines of data, joined by line feeds; empty in an event that only sets the id
 * @param retry how long to wait before the next connection, where the event says so
 */
public record ServerSentEvent(Optional<String> id, String data, Optional<Duration> retry) {}

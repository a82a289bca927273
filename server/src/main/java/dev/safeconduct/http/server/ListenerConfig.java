package dev.safeconduct.http.server;

import java.util.Optional;

/**
 * The server's address and connection limits.
 *
 * @param port 0 selects any free port
 * @param tls certificate and key, or plain HTTP
 * @param maxConnections connections beyond this number are closed at once
 */
public record ListenerConfig(
    String bind, int port, Optional<PemFiles> tls, int maxConnections, Timeouts timeouts) {}

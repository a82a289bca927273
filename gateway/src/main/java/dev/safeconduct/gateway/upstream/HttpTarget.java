package dev.safeconduct.gateway.upstream;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * An MCP server that is reached over HTTP.
 *
 * @param uri its endpoint
 * @param headers what every request to it carries; the credential of the gateway among them
 * @param timeout how long it may take until its answer starts
 * @param maxBytes the size of one message of it
 */
public record HttpTarget(URI uri, Map<String, String> headers, Duration timeout, int maxBytes) {
  /** Says no header's value: they are secrets. */
  @Override
  public String toString() {
    return "HttpTarget[" + uri + "]";
  }
}

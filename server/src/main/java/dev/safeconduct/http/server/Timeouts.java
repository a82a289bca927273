package dev.safeconduct.http.server;

import java.time.Duration;

/**
 * The time limits for clients.
 *
 * @param firstByte silence on a new connection, or in the middle of a request's head
 * @param head for the whole head of a request, from its first byte or the connection's start
 * @param stall silence in the middle of a body or of its response
 * @param idle silence between requests
 * @param drain for running requests, when the server stops
 */
public record Timeouts(
    Duration firstByte, Duration head, Duration stall, Duration idle, Duration drain) {
  public static final Timeouts DEFAULT =
      new Timeouts(
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofSeconds(4));

  /** Returns the check interval for connections: the shortest of these limits. */
  Duration shortest() {
    Duration shortest = firstByte;
    for (Duration other : new Duration[] {head, stall, idle}) {
      shortest = other.compareTo(shortest) < 0 ? other : shortest;
    }
    return shortest;
  }
}

package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import java.util.function.BiConsumer;

/** Decides on the requests that a connection makes again with what the client answered. */
@FunctionalInterface
public interface Repeats {
  /**
   * Sends a request again if it may go out, or else answers it. Does nothing if the client has
   * cancelled it. Does not throw.
   *
   * @param before the request as it reached the connection, whose outlet is not used any more
   * @param next the request with the answers
   * @param send sends {@code next} with these header fields; what comes back goes to this outlet
   */
  void repeat(Message before, Message next, Forwarded headers, BiConsumer<Forwarded, Outlet> send);
}

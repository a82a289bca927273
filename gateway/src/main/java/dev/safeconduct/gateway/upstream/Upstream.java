package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;

/** One client session's connection to a server. Threads can share it. */
public interface Upstream extends AutoCloseable {
  /**
   * Sends a request. Its response, or an error in its place, reaches the outlet exactly once; what
   * the server sends for this request before (progress, its own requests) goes there too.
   */
  void request(Message request, Forwarded headers, Outlet outlet);

  /** Sends a notification. */
  void notify(Message notification, Forwarded headers);

  /** Sends the client's answer to a request of the server. */
  void respond(Message response);

  /**
   * Sets who receives messages that belong to no request: over stdio all requests and notifications
   * of the server, over HTTP those of the stream that a GET opens.
   */
  void unsolicited(Outlet outlet);

  /** Sets who decides on the requests that the connection makes again; most make none. */
  default void repeats(Repeats repeats) {}

  /**
   * Sets what happens when the server's tools may have changed and no message says so, as the
   * client did not ask for any.
   */
  default void onToolsChanged(Runnable action) {}

  /** Ends the connection. Requests without a response get an error. */
  @Override
  void close();
}

package dev.safeconduct.gateway.upstream;

import java.time.Duration;

/** Hears what happens to a connection besides its messages. */
public interface ConnectionListener {
  /**
   * The server answers with a stream of events.
   *
   * @param id the request's id
   */
  void streaming(Object id);

  /**
   * The server closed the stream of a request before its response, and will go on in another one:
   * it does not want to hold a connection for so long.
   *
   * @param id the request's id
   * @param retry how long it wants clients to wait
   */
  void interrupted(Object id, Duration retry);

  /** The server ended the session. */
  void lost();

  /** Returns a listener to the end of the connection alone. */
  static ConnectionListener ofEnd(Runnable action) {
    return new ConnectionListener() {
      @Override
      public void streaming(Object id) {}

      @Override
      public void interrupted(Object id, Duration retry) {}

      @Override
      public void lost() {
        action.run();
      }
    };
  }
}

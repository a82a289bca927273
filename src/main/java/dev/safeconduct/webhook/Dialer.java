package dev.safeconduct.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** Opens the connection to an address that the guard has let pass. */
@FunctionalInterface
public interface Dialer {
  /** Straight over TCP, past any proxy, which would look the name up again. */
  Dialer TCP =
      (address, port, timeout) -> {
        Socket socket = new Socket(java.net.Proxy.NO_PROXY);
        try {
          socket.setTcpNoDelay(true);
          socket.connect(
              new InetSocketAddress(address, port), (int) Math.max(1, timeout.toMillis()));
          return socket;
        } catch (IOException | RuntimeException e) {
          socket.close();
          throw e;
        }
      };

  /**
   * Connects.
   *
   * @throws IOException when nobody answers there in time
   */
  Socket dial(InetAddress address, int port, Duration timeout) throws IOException;
}

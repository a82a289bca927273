package dev.safeconduct.webhook.delivery;

import java.net.Proxy;
import java.net.Socket;
import java.security.NoSuchAlgorithmException;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;

/**
 * What delivery takes from the machine it runs on.
 *
 * @param sockets makes sockets that are not connected yet
 * @param tls says which certificates are trusted; asked when a TLS connection is made, since
 *     reading the machine's trusted certificates would delay the start
 * @param chance 0 to 1, for jitter; safe for any number of threads
 */
public record WebhookDependencies(
    Resolver resolver,
    Supplier<Socket> sockets,
    Supplier<SSLContext> tls,
    Ticker ticker,
    DoubleSupplier chance) {

  /** The machine's own resolver, network, trust store and time. */
  public static WebhookDependencies ofMachine(RandomGenerator random) {
    return new WebhookDependencies(
        new SystemResolver(),
        // Straight over TCP, past any proxy, which would look the name up again.
        () -> new Socket(Proxy.NO_PROXY),
        WebhookDependencies::trusted,
        Ticker.system(),
        random::nextDouble);
  }

  private static SSLContext trusted() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the platform has no TLS", e);
    }
  }
}

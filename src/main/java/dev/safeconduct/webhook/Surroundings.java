package dev.safeconduct.webhook;

import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLSocketFactory;

/**
 * What delivery takes from the machine it runs on.
 *
 * @param tls makes TLS connections, and thereby says which certificates are trusted; asked when one
 *     is made, since reading the machine's trusted certificates would delay the start
 * @param chance 0 to 1, for jitter; safe for any number of threads
 */
public record Surroundings(
    Resolver resolver,
    Dialer dialer,
    Supplier<SSLSocketFactory> tls,
    Pace pace,
    DoubleSupplier chance) {

  /** The machine's own resolver, network, trust store and time. */
  public static Surroundings ofMachine(RandomGenerator random) {
    return new Surroundings(
        new SystemResolver(),
        Dialer.TCP,
        () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
        new RealPace(),
        random::nextDouble);
  }
}

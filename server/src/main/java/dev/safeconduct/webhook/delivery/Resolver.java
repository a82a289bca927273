package dev.safeconduct.webhook.delivery;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a name. */
@FunctionalInterface
public interface Resolver {
  /**
   * The addresses in the order they should be tried, at least one.
   *
   * @throws UnknownHostException if the name has no address or cannot be resolved
   * @throws InterruptedException when the wait for an answer is broken off
   */
  List<InetAddress> resolve(String name) throws UnknownHostException, InterruptedException;
}

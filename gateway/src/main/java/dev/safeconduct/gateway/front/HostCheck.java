package dev.safeconduct.gateway.front;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a page of another site sent through a browser: with DNS rebinding, such a
 * page reaches servers of the user's machine and network.
 *
 * @param hosts names of the gateway besides those of the loopback interface
 * @param origins pages that may call it besides those of the loopback interface
 */
record HostCheck(Set<String> hosts, Set<String> origins) {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  void check(List<String> host, List<String> origin) throws Refusal {
    if (host.size() != 1 || !isAllowed(name(host.getFirst()))) {
      throw Refusal.of(403, "The Host header names another server; see allowed_hosts.");
    }
    if (origin.size() > 1 || (origin.size() == 1 && !isAllowedOrigin(origin.getFirst()))) {
      throw Refusal.of(
          403, "The Origin header names a page that may not call; see allowed_origins.");
    }
  }

  private boolean isAllowed(@Nullable String name) {
    return name != null && (LOOPBACK.contains(name) || hosts.contains(name));
  }

  private boolean isAllowedOrigin(String origin) {
    if (origins.contains(origin)) {
      return true;
    }
    try {
      URI uri = URI.create(origin);
      return uri.getHost() != null && LOOPBACK.contains(uri.getHost().toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  /** Returns the name without the port; null if the value is not a name with an optional port. */
  private static @Nullable String name(String host) {
    int colon = host.lastIndexOf(':');
    boolean hasPort = colon > host.lastIndexOf(']');
    String port = hasPort ? host.substring(colon + 1) : "";
    String name = (hasPort ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
    return port.chars().allMatch(c -> c >= '0' && c <= '9') ? name : null;
  }
}

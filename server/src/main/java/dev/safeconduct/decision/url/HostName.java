package dev.safeconduct.decision.url;

import dev.safeconduct.net.NonPublicHosts;
import java.util.Optional;

/** A host name: lower case, without a trailing dot. */
record HostName(String text) implements Host {
  @Override
  public Optional<NonPublicHosts.Kind> kind() {
    return NonPublicHosts.kind(text);
  }

  @Override
  public boolean isLoopback() {
    return text.equals("localhost");
  }

  /** Whether this is a name below the other one. */
  boolean isBelow(HostName other) {
    int split = text.length() - other.text.length() - 1;
    return split > 0 && text.charAt(split) == '.' && text.endsWith(other.text);
  }
}

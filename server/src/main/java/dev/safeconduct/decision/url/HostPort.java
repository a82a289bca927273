package dev.safeconduct.decision.url;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The end of an authority, split but not validated: the host's text and the written port.
 *
 * @param port empty when there is none, or nothing after the colon
 */
record HostPort(String host, OptionalInt port) {
  private static final int MAX_PORT = 65535;

  static Optional<HostPort> split(String text) {
    int colon = text.indexOf(':');
    if (text.startsWith("[")) {
      int close = text.indexOf(']');
      if (close < 0 || (close + 1 < text.length() && text.charAt(close + 1) != ':')) {
        return Optional.empty();
      }
      colon = close + 1 < text.length() ? close + 1 : -1;
    }
    if (colon < 0) {
      return Optional.of(new HostPort(text, OptionalInt.empty()));
    }
    String host = text.substring(0, colon);
    if (colon + 1 == text.length()) {
      return Optional.of(new HostPort(host, OptionalInt.empty()));
    }
    int port = 0;
    for (int i = colon + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      port = Ascii.isDigit(c) ? port * 10 + (c - '0') : MAX_PORT + 1;
      if (port > MAX_PORT) {
        return Optional.empty();
      }
    }
    return Optional.of(new HostPort(host, OptionalInt.of(port)));
  }
}

package dev.safeconduct.gateway.upstream;

import java.util.Map;
import java.util.TreeMap;

/**
 * Header fields that go with a message to an HTTP server. Other transports drop them.
 *
 * @param fields names (in any case) and values
 */
public record Forwarded(Map<String, String> fields) {
  private static final Forwarded NONE = new Forwarded(Map.of());

  /** Copies the fields. */
  public Forwarded {
    var copy = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    copy.putAll(fields);
    fields = java.util.Collections.unmodifiableMap(copy);
  }

  /** Returns no fields. */
  public static Forwarded none() {
    return NONE;
  }

  /** Returns these fields with one more. */
  public Forwarded with(String name, String value) {
    var more = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    more.putAll(fields);
    more.put(name, value);
    return new Forwarded(more);
  }
}

package dev.safeconduct.identity;

import java.util.Optional;

/** A permission of an API key or session. There are exactly these eight. */
public enum Scope {
  READ("read"),
  ISSUE("issue"),
  UPDATE("update"),
  STATUS("status"),
  LIST_AGENTS("list_agents"),
  READ_AUDIT("read_audit"),
  MANAGE_WEBHOOKS("manage_webhooks"),
  MANAGE_KEYS("manage_keys");

  private final String wire;

  Scope(String wire) {
    this.wire = wire;
  }

  /** Returns the name in requests and responses. */
  public String wire() {
    return wire;
  }

  public static Optional<Scope> parse(String text) {
    for (Scope scope : values()) {
      if (scope.wire.equals(text)) {
        return Optional.of(scope);
      }
    }
    return Optional.empty();
  }
}

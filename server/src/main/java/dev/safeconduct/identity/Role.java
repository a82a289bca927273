package dev.safeconduct.identity;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The role of a person in an organization, and the scopes that it gives their session. */
public enum Role {
  OWNER("owner"),
  ADMIN("admin"),
  MEMBER("member"),
  AUDITOR("auditor");

  private final String wire;

  Role(String wire) {
    this.wire = wire;
  }

  /** Returns the name in requests and responses. */
  public String wire() {
    return wire;
  }

  public Set<Scope> scopes() {
    return switch (this) {
      case OWNER, ADMIN -> EnumSet.allOf(Scope.class);
      case MEMBER ->
          EnumSet.of(
              Scope.READ,
              Scope.ISSUE,
              Scope.UPDATE,
              Scope.STATUS,
              Scope.LIST_AGENTS,
              Scope.READ_AUDIT);
      case AUDITOR -> EnumSet.of(Scope.READ, Scope.LIST_AGENTS, Scope.READ_AUDIT);
    };
  }

  /** Returns whether the role manages the organization: its people, packs and approvals. */
  public boolean administers() {
    return this == OWNER || this == ADMIN;
  }

  public static Optional<Role> parse(String text) {
    for (Role role : values()) {
      if (role.wire.equals(text)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}

package dev.safeconduct.identity;

import java.util.Optional;
import java.util.Set;

/** Who sent a request, once the credential has been checked. */
public sealed interface Caller {
  /** The audit log's name for the caller: {@code key:<id>}, {@code admin} or {@code anonymous}. */
  String name();

  /** An API key of one organization; a setup key is bound to one agent. */
  record Key(String keyId, OrgId org, Set<Scope> scopes, Optional<AgentId> boundTo)
      implements Caller {
    public Key {
      scopes = Set.copyOf(scopes);
    }

    @Override
    public String name() {
      return "key:" + keyId;
    }
  }

  /** The holder of the admin token: every route, every organization. */
  record Admin() implements Caller {
    @Override
    public String name() {
      return "admin";
    }
  }

  /** Nobody in particular. */
  record Anonymous() implements Caller {
    @Override
    public String name() {
      return "anonymous";
    }
  }
}

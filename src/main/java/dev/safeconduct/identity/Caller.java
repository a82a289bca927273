package dev.safeconduct.identity;

import java.util.Optional;
import java.util.Set;

/** Who sent a request, once the credential has been checked. */
public sealed interface Caller {
  /**
   * The audit log's name for the caller: {@code key:<id>}, {@code account:<id>}, {@code admin} or
   * {@code anonymous}.
   */
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

  /**
   * A person in a session of their browser.
   *
   * @param accountId who it is
   * @param sessionId which of their sessions
   * @param org the organization they act in
   * @param role what they are in it
   */
  record Person(String accountId, String sessionId, OrgId org, Role role) implements Caller {
    public Set<Scope> scopes() {
      return role.scopes();
    }

    @Override
    public String name() {
      return "account:" + accountId;
    }
  }

  /**
   * The operator: every route, every organization.
   *
   * @param person who it is, where it is not the holder of the admin token
   */
  record Admin(Optional<Person> person) implements Caller {
    /** The holder of the admin token. */
    public Admin() {
      this(Optional.empty());
    }

    @Override
    public String name() {
      return person.map(Person::name).orElse("admin");
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

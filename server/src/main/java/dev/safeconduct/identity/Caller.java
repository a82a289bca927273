package dev.safeconduct.identity;

import java.util.Optional;
import java.util.Set;

/** The authenticated sender of a request. */
public sealed interface Caller {
  /**
   * Returns the caller's name in the audit log: {@code key:<id>}, {@code account:<id>}, {@code
   * admin} or {@code anonymous}.
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
   * A person in a browser session.
   *
   * @param accountId the person's account
   * @param sessionId the session
   * @param org the organization in which they act
   * @param role their role in it
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
   * The operator, with access to every route and every organization.
   *
   * @param person the operator's account, unless it is the holder of the admin token
   */
  record Admin(Optional<Person> person) implements Caller {
    /** Creates the holder of the admin token. */
    public Admin() {
      this(Optional.empty());
    }

    @Override
    public String name() {
      return person.map(Person::name).orElse("admin");
    }
  }

  /** A caller without a credential. */
  record Anonymous() implements Caller {
    @Override
    public String name() {
      return "anonymous";
    }
  }
}

package dev.safeconduct.identity;

import java.util.Optional;
import java.util.Set;

/** The authenticated sender of a request. */
public sealed interface Caller {
  /**
   * Returns the caller's name in the audit log: {@code key:<id>}, {@code token:<id>}, {@code
   * account:<id>}, {@code admin} or {@code anonymous}.
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
   * @param person the operator's account, if it is a session
   * @param token the operator's token, if it is one; with neither it is the admin token
   */
  record Admin(Optional<Person> person, Optional<Token> token) implements Caller {
    /** Creates the holder of the admin token. */
    public Admin() {
      this(Optional.empty(), Optional.empty());
    }

    /** Creates the operator of a session. */
    public Admin(Person person) {
      this(Optional.of(person), Optional.empty());
    }

    /** Returns whether it may read only. */
    public boolean readOnly() {
      return token.filter(Token::readOnly).isPresent();
    }

    @Override
    public String name() {
      return person.map(Person::name).or(() -> token.map(Token::name)).orElse("admin");
    }
  }

  /** An operator's token, which may be limited to reading. */
  record Token(String id, boolean readOnly) {
    private String name() {
      return "token:" + id;
    }
  }

  /**
   * A pipeline that publishes an organization's packs and passports, and applies its files.
   *
   * @param may what files may change besides
   */
  record Deploy(String tokenId, OrgId org, Set<DeployRight> may) implements Caller {
    public Deploy {
      may = Set.copyOf(may);
    }

    @Override
    public String name() {
      return "token:" + tokenId;
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

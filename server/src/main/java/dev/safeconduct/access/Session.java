package dev.safeconduct.access;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import java.time.Instant;
import java.util.Optional;

/**
 * The current state of a person's login.
 *
 * @param org the organization the person acts in
 * @param role the person's current role in it; empty when they have left it
 * @param operator whether they operate the service
 * @param byProvider whether it began at an identity provider; otherwise groups there give no role
 * @param expiresAt until when it can be refreshed
 */
public record Session(
    String id,
    String accountId,
    OrgId org,
    Optional<Role> role,
    boolean operator,
    boolean byProvider,
    Instant expiresAt,
    Optional<Instant> endedAt) {

  /** Returns the session's caller; empty when it has ended or the person has no role there. */
  public Optional<Caller> callerAt(Instant now) {
    if (endedAt.isPresent() || !now.isBefore(expiresAt)) {
      return Optional.empty();
    }
    if (operator) {
      var person = new Caller.Person(accountId, id, org, role.orElse(Role.OWNER));
      return Optional.of(new Caller.Admin(person));
    }
    return role.map(held -> new Caller.Person(accountId, id, org, held));
  }
}

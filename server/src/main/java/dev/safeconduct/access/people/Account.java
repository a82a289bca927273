package dev.safeconduct.access.people;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.EmailAddress;
import java.time.Instant;
import java.util.Optional;

/**
 * A person.
 *
 * @param id {@code acc_} and 32 hex digits
 * @param displayName the person's name; may be empty
 * @param password the Argon2id hash; absent until the person has set one
 * @param passwordVersion counts the password's changes
 * @param operator whether they operate the service
 */
public record Account(
    String id,
    EmailAddress email,
    String displayName,
    Optional<String> password,
    long passwordVersion,
    boolean operator,
    Instant createdAt) {
  /** A placeholder for the first owner's address until they enter it. */
  public static final EmailAddress NAMELESS = new EmailAddress("owner@localhost");

  /** The problem for an address that already has an account. */
  static ProblemException exists() {
    return ProblemException.conflict("The address has an account.", "account_exists");
  }

  /** Creates the account of a person of whom only the address is known. */
  public static Account fresh(String id, EmailAddress email, String displayName, Instant now) {
    return new Account(id, email, displayName, Optional.empty(), 0, false, now);
  }

  public Account withPassword(String hash) {
    return new Account(
        id, email, displayName, Optional.of(hash), passwordVersion + 1, operator, createdAt);
  }

  public Account withEmail(EmailAddress next) {
    return new Account(id, next, displayName, password, passwordVersion, operator, createdAt);
  }

  /** Returns whether the person's address is still unknown. */
  public boolean isNameless() {
    return email.value().equals(NAMELESS.value());
  }

  /** Returns whether emails can reach the person. */
  public boolean isReachable() {
    return !isNameless() && !email.value().endsWith(EmailAddress.NOBODY);
  }

  /** Returns the account with the operator flag set. */
  public Account asOperator() {
    return new Account(id, email, displayName, password, passwordVersion, true, createdAt);
  }

  @Override
  public String toString() {
    return "Account[" + id + "]";
  }
}

package dev.safeconduct.people;

import dev.safeconduct.identity.EmailAddress;
import java.time.Instant;
import java.util.Optional;

/**
 * A person.
 *
 * @param id {@code acc_} and 32 hex digits
 * @param displayName what they are called; may be empty
 * @param password the Argon2id hash; absent until the person has set one
 * @param passwordVersion counts the password's changes
 * @param operator whether they run the service
 */
public record Account(
    String id,
    EmailAddress email,
    String displayName,
    Optional<String> password,
    long passwordVersion,
    boolean operator,
    Instant createdAt) {
  /** Stands for the first owner's address until they give it. */
  public static final EmailAddress NAMELESS = new EmailAddress("owner@localhost");

  /** A person who has only been named by their address. */
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

  /** Whether nobody has said yet what the person's address is. */
  public boolean isNameless() {
    return email.value().equals(NAMELESS.value());
  }

  /** The one who runs the service. */
  public Account asOperator() {
    return new Account(id, email, displayName, password, passwordVersion, true, createdAt);
  }

  @Override
  public String toString() {
    return "Account[" + id + "]";
  }
}

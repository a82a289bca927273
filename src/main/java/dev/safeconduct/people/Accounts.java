package dev.safeconduct.people;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.EmailAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where people are kept. */
public interface Accounts {
  Optional<Account> find(String id);

  Optional<Account> byEmail(EmailAddress email);

  /** The person's places in organizations, the oldest first. */
  List<Member> memberships(String accountId);

  /**
   * Adds a person with a place in an organization.
   *
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} when the address has an
   *     account
   */
  void create(Account account, Member member, AuditRecord entry);

  /**
   * Sets the password and ends all of the person's sessions.
   *
   * @return false when it is not of the version expected; nothing is written then
   */
  boolean setPassword(Account changed, long expectedVersion, Instant at, AuditRecord entry);

  /** Sets whether the person runs the service, and ends all of their sessions. */
  void setOperator(String accountId, boolean operator, Instant at, AuditRecord entry);

  /** Appends a record of something that changed nothing. */
  void note(AuditRecord entry);

  /** Whether anybody runs the service. */
  boolean hasOperator();
}

package dev.safeconduct.people;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where the people of organizations are kept. Every change ends the sessions it concerns. */
public interface Memberships {
  /** A member with the person behind it. */
  record Listed(Member member, Account account) {}

  Optional<Listed> find(OrgId org, String accountId);

  /** The organization's members, the oldest first, from the place after {@code after}. */
  List<Listed> list(OrgId org, Optional<String> after, int limit);

  /**
   * Adds a member.
   *
   * @param newcomer their account, where it is to be made
   * @param letter what they are told
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} for somebody who is a member,
   *     or an address that has got an account meanwhile
   */
  void add(Member member, Optional<Account> newcomer, OutboxEntry letter, AuditRecord entry);

  /** What came of a change. */
  enum Outcome {
    DONE,
    /** There is no such member. */
    UNKNOWN,
    /** Their role is not what it was when the caller was found to be allowed the change. */
    OTHER_ROLE,
    /** It would leave the organization without an owner. */
    LAST_OWNER
  }

  /**
   * Changes a member's role.
   *
   * @param before the member as they were read
   */
  Outcome changeRole(Member before, Role role, Instant at, AuditRecord entry);

  /**
   * Lets a member go.
   *
   * @param before the member as they were read
   */
  Outcome remove(Member before, Instant at, AuditRecord entry);
}

package dev.safeconduct.access.people;

import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Role;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Adds people to an organization, changes their roles and removes them. Only owners and the
 * operator may add, change and remove owners. The last owner cannot be removed.
 */
public final class ManageMembers {
  /** Another request may add the same address at the same time; then it is looked up again. */
  private static final int TRIES = 3;

  /** Adding somebody, removing them and adding them again would fill their mailbox. */
  private static final Rate PER_MAILBOX = new Rate("invited", 3, Duration.ofDays(1));

  private final Accounts accounts;
  private final Memberships members;
  private final ManageFactors factors;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Runnable trigger;

  /**
   * @param trigger notifies the email sender that an email is queued
   */
  public ManageMembers(
      Accounts accounts,
      Memberships members,
      ManageFactors factors,
      RateLimits limits,
      Recorder recorder,
      Runnable trigger) {
    this.accounts = accounts;
    this.members = members;
    this.factors = factors;
    this.limits = limits;
    this.recorder = recorder;
    this.trigger = trigger;
  }

  /**
   * Adds the person, with a new account if they have none, and sends an email.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a role the caller may not give, 409 for
   *     a person who is already a member, 429 for one whom the organization adds again and again
   */
  public Memberships.Listed add(Origin origin, OrgId org, EmailAddress email, Role role) {
    demandMayGive(origin.caller(), role);
    if (!(origin.caller() instanceof Caller.Admin) && !isMember(org, email)) {
      limits.demand(
          PER_MAILBOX,
          org.value() + " " + email.mailbox(),
          "An organization adds one mailbox, whatever follows a +, at most three times a day.");
    }
    for (int i = 1; ; i++) {
      try {
        return tryAdd(origin, org, email, role);
      } catch (ProblemException e) {
        boolean meanwhile =
            e.problem() instanceof Problem.Conflict conflict
                && conflict.reason().equals("account_exists");
        if (!meanwhile || i == TRIES) {
          throw e;
        }
      }
    }
  }

  private boolean isMember(OrgId org, EmailAddress email) {
    return accounts.byEmail(email).stream()
        .flatMap(account -> accounts.memberships(account.id()).stream())
        .anyMatch(member -> member.org().equals(org));
  }

  private Memberships.Listed tryAdd(Origin origin, OrgId org, EmailAddress email, Role role) {
    Instant now = recorder.now();
    Optional<Account> known = accounts.byEmail(email);
    Account account =
        known.orElseGet(() -> Account.fresh("acc_" + recorder.nextHex(), email, "", now));
    var member = new Member(org, account.id(), role, now);
    boolean added =
        members.add(
            member,
            known.isPresent() ? Optional.empty() : Optional.of(account),
            OutboxEntry.of(
                "mail_" + recorder.nextHex(),
                AccountEmails.INVITATION,
                account.id() + " " + org.value(),
                now),
            record(origin, now, member, "member_added"));
    if (!added) {
      throw ProblemException.conflict("This person is a member already.", "member_exists");
    }
    trigger.run();
    return new Memberships.Listed(member, account, false);
  }

  /**
   * Changes the member's role, and whether they operate the service. Nothing changes when the role
   * may not be changed. People cannot set a role that a group gave them, not even to the same one.
   *
   * @param operator for the admin credential alone
   * @throws dev.safeconduct.error.ProblemException 403 for a change the caller may not make, 404
   *     for a person who is not a member, 409 for the last owner
   */
  public Memberships.Listed change(
      Origin origin, OrgId org, String accountId, Optional<Role> role, Optional<Boolean> operator) {
    if (operator.isPresent() && !(origin.caller() instanceof Caller.Admin)) {
      throw ProblemException.forbidden("Only an operator makes operators.");
    }
    Memberships.Listed changed =
        role.isPresent() ? changeRole(origin, org, accountId, role.get()) : find(org, accountId);
    operator
        .filter(wanted -> wanted != changed.account().operator())
        .ifPresent(wanted -> setOperator(origin, changed.member(), wanted));
    return changed;
  }

  private Memberships.Listed changeRole(Origin origin, OrgId org, String accountId, Role role) {
    demandMayGive(origin.caller(), role);
    while (true) {
      Memberships.Listed before = find(org, accountId);
      demandMayGive(origin.caller(), before.member().role());
      demandNotOwnByGroup(origin.caller(), before.member());
      Instant now = recorder.now();
      if (before.member().role() == role) {
        members.keepRole(before.member(), record(origin, now, before.member(), "role_kept"));
        return new Memberships.Listed(before.member(), before.account(), false);
      }
      var after = new Member(org, accountId, role, before.member().since());
      if (members.changeRole(
          before.member(),
          role,
          now,
          standing -> isStill(before.member(), standing),
          record(origin, now, after, "role_changed"))) {
        return new Memberships.Listed(after, before.account(), false);
      }
    }
  }

  /**
   * Removes the member.
   *
   * @throws dev.safeconduct.error.ProblemException as for a change
   */
  public void remove(Origin origin, OrgId org, String accountId) {
    boolean removed;
    do {
      Member before = find(org, accountId).member();
      demandMayGive(origin.caller(), before.role());
      Instant now = recorder.now();
      removed =
          members.remove(
              before,
              now,
              standing -> isStill(before, standing),
              record(origin, now, before, "member_removed"));
    } while (!removed);
  }

  /**
   * Removes the member's passkeys and recovery codes and ends their sessions, for whoever has lost
   * them all. The account is the person's in every organization, so for one who belongs to another
   * organization too, or operates the service, only an operator may. Nobody resets their own: a
   * stolen session would otherwise remove the passkeys that a thief does not have.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a reset that the caller may not make,
   *     404 for a person who is not a member
   */
  public void resetSecondFactor(Origin origin, OrgId org, String accountId) {
    Memberships.Listed found = find(org, accountId);
    demandMayGive(origin.caller(), found.member().role());
    if (isOwn(origin.caller(), accountId)) {
      throw ProblemException.forbidden(
          "Nobody resets their own second factor. Remove passkeys on the page Your account, or"
              + " ask another owner or an operator.");
    }
    boolean elsewhere = found.account().operator() || accounts.memberships(accountId).size() > 1;
    if (elsewhere && !(origin.caller() instanceof Caller.Admin)) {
      throw ProblemException.forbidden(
          "This person belongs to another organization too, or operates the service; only an"
              + " operator may reset their second factor.");
    }
    factors.reset(origin, found.account());
  }

  private void setOperator(Origin origin, Member member, boolean operator) {
    Instant now = recorder.now();
    accounts.setOperator(
        member.accountId(),
        operator,
        now,
        record(origin, now, member, operator ? "operator_made" : "operator_unmade"));
  }

  private Memberships.Listed find(OrgId org, String accountId) {
    return members.find(org, accountId).orElseThrow(() -> unknown(accountId));
  }

  private static void demandMayGive(Caller caller, Role role) {
    boolean owns = caller instanceof Caller.Person person && person.role() == Role.OWNER;
    if (role == Role.OWNER && !owns && !(caller instanceof Caller.Admin)) {
      throw ProblemException.forbidden("Only an owner makes, changes or removes owners.");
    }
  }

  /**
   * Refuses to make a role that a group gave the caller their own: they would keep it after they
   * leave the group.
   */
  private void demandNotOwnByGroup(Caller caller, Member member) {
    if (isOwn(caller, member.accountId()) && members.byGroup(member)) {
      throw ProblemException.forbidden(
          "A group at the identity provider gave you this role; only another person may set"
              + " it.");
    }
  }

  private static boolean isOwn(Caller caller, String accountId) {
    return switch (caller) {
      case Caller.Person person -> person.accountId().equals(accountId);
      case Caller.Admin admin ->
          admin.person().filter(person -> person.accountId().equals(accountId)).isPresent();
      case Caller.Key _, Caller.Deploy _, Caller.Anonymous _ -> false;
    };
  }

  /**
   * Returns whether the member still has that role and may lose it; the last owner may not. False
   * when the role has changed meanwhile: the caller may then have no right to change it.
   */
  private static boolean isStill(Member before, Memberships.Standing standing) {
    Role role = standing.role().orElseThrow(() -> unknown(before.accountId()));
    if (role != before.role()) {
      return false;
    }
    if (role == Role.OWNER && !standing.otherOwners()) {
      throw ProblemException.conflict(
          "An organization keeps an owner; make somebody else one first.", "last_owner");
    }
    return true;
  }

  private static ProblemException unknown(String accountId) {
    String shown = accountId.length() <= 128 ? accountId : "";
    return ProblemException.notFound(
        "No such member is known.", "member_not_found", Map.of("account_id", shown));
  }

  private AuditRecord record(Origin origin, Instant now, Member member, String change) {
    return recorder.write(RecordKind.CONFIG, member.org(), now, origin, member.recorded(change));
  }
}

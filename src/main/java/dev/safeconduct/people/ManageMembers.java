package dev.safeconduct.people;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Brings people into an organization, changes what they are in it, and lets them go. Owners are
 * made, changed and let go by owners and the operator only, and the last one stays.
 */
public final class ManageMembers {
  /** Somebody else may be given the same address at the same time; then it is looked up again. */
  private static final int TRIES = 3;

  private final Accounts accounts;
  private final Memberships members;
  private final Recorder recorder;
  private final Runnable nudge;

  /**
   * @param nudge tells the postman that there is a letter
   */
  public ManageMembers(Accounts accounts, Memberships members, Recorder recorder, Runnable nudge) {
    this.accounts = accounts;
    this.members = members;
    this.recorder = recorder;
    this.nudge = nudge;
  }

  /**
   * Adds the person, with an account if they have none, and writes to them.
   *
   * @throws dev.safeconduct.problem.ProblemException 403 for a role the caller may not give, 409
   *     for somebody who is a member
   */
  public Memberships.Listed add(Origin origin, OrgId org, EmailAddress email, Role role) {
    demandMayGive(origin.caller(), role);
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

  private Memberships.Listed tryAdd(Origin origin, OrgId org, EmailAddress email, Role role) {
    Instant now = recorder.now();
    Optional<Account> known = accounts.byEmail(email);
    Account account =
        known.orElseGet(() -> Account.fresh("acc_" + recorder.nextHex(), email, "", now));
    var member = new Member(org, account.id(), role, now);
    members.add(
        member,
        known.isPresent() ? Optional.empty() : Optional.of(account),
        OutboxEntry.of(
            "mail_" + recorder.nextHex(),
            PersonalLetters.INVITATION,
            account.id() + " " + org.value(),
            now),
        record(origin, now, member, "member_added"));
    nudge.run();
    return new Memberships.Listed(member, account);
  }

  /**
   * Changes the member's role, and whether they are an operator of the service. Where the role may
   * not be changed, nothing is.
   *
   * @param operator for the admin credential alone
   * @throws dev.safeconduct.problem.ProblemException 403 for what the caller may not change, 404
   *     for somebody who is no member, 409 for the last owner
   */
  public Memberships.Listed change(
      Origin origin, OrgId org, String accountId, Optional<Role> role, Optional<Boolean> operator) {
    if (operator.isPresent() && !(origin.caller() instanceof Caller.Admin)) {
      throw new Problem.Forbidden("Only an operator makes operators.").toException();
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
      if (before.member().role() == role) {
        return before;
      }
      Instant now = recorder.now();
      var after = new Member(org, accountId, role, before.member().since());
      if (isDone(
          members.changeRole(
              before.member(), role, now, record(origin, now, after, "role_changed")),
          accountId)) {
        return new Memberships.Listed(after, before.account());
      }
    }
  }

  /**
   * Lets the member go.
   *
   * @throws dev.safeconduct.problem.ProblemException as for a change
   */
  public void remove(Origin origin, OrgId org, String accountId) {
    Member before;
    Instant now;
    do {
      before = find(org, accountId).member();
      demandMayGive(origin.caller(), before.role());
      now = recorder.now();
    } while (!isDone(
        members.remove(before, now, record(origin, now, before, "member_removed")), accountId));
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
      throw new Problem.Forbidden("Only an owner makes, changes or removes owners.").toException();
    }
  }

  /** False where the role has changed meanwhile: the caller may then do other things or none. */
  private static boolean isDone(Memberships.Outcome outcome, String accountId) {
    return switch (outcome) {
      case DONE -> true;
      case OTHER_ROLE -> false;
      case UNKNOWN -> throw unknown(accountId);
      case LAST_OWNER ->
          throw new Problem.Conflict(
                  "An organization keeps an owner; make somebody else one first.", "last_owner")
              .toException();
    };
  }

  private static ProblemException unknown(String accountId) {
    String shown = accountId.length() <= 128 ? accountId : "";
    return new Problem.NotFound(
            "No such member is known.", "member_not_found", Map.of("account_id", shown))
        .toException();
  }

  private AuditRecord record(Origin origin, Instant now, Member member, String change) {
    JsonObject what =
        JsonObject.builder()
            .put("change", change)
            .put("account_id", member.accountId())
            .put("role", member.role().wire())
            .build();
    return recorder.write(RecordKind.CONFIG, member.org(), now, origin, what);
  }
}

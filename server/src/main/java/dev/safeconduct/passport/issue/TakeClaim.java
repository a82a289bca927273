package dev.safeconduct.passport.issue;

import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Member;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.SetPassword;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Role;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportChange;
import dev.safeconduct.passport.Passports;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes a human the owner of a passport. The link in the email proves control of the address, which
 * is enough for an account. If there is no account for the address, one is created.
 */
public final class TakeClaim {
  /**
   * The maximum number of attempts: the passport may change, or the address get an account,
   * meanwhile.
   */
  private static final int TRIES = 20;

  private final Claims claims;
  private final Passports passports;
  private final Accounts accounts;
  private final SetPassword passwords;
  private final Recorder recorder;

  public TakeClaim(
      Claims claims,
      Passports passports,
      Accounts accounts,
      SetPassword passwords,
      Recorder recorder) {
    this.claims = claims;
    this.passports = passports;
    this.accounts = accounts;
    this.passwords = passwords;
    this.recorder = recorder;
  }

  /**
   * A claimed passport.
   *
   * @param org the organization in which the human is a member
   * @param isNew whether the account was created with the claim
   */
  record Claimed(Passport passport, Account account, OrgId org, boolean isNew) {}

  /**
   * Takes the claim; of any number of concurrent attempts, one succeeds.
   *
   * @param password the password of a new account; it may also be set later by email
   * @return empty if the claim has been used
   * @throws dev.safeconduct.error.ProblemException 400 for a password that is not acceptable
   */
  Optional<Claimed> run(Origin asked, Claim claim, Optional<String> password) {
    // Hash once: it is slow, and the attempts below may repeat.
    boolean known = accounts.byEmail(claim.email()).isPresent();
    Optional<String> hash = known ? Optional.empty() : password.map(passwords::hash);
    for (int i = 0; i < TRIES; i++) {
      Optional<Passport> passport = passports.find(claim.agent());
      if (passport.isEmpty()) {
        return Optional.empty();
      }
      Attempt attempt = attempt(asked, claim, passport.get(), hash);
      try {
        switch (store(claim, attempt)) {
          case DONE -> {
            return Optional.of(attempt.taken());
          }
          case GONE -> {
            return Optional.empty();
          }
          case STALE -> {}
        }
      } catch (ProblemException e) {
        boolean meanwhile =
            e.problem() instanceof Problem.Conflict conflict
                && conflict.reason().equals("account_exists");
        if (!meanwhile) {
          throw e;
        }
      }
    }
    throw ProblemException.unavailable("The passport is being changed by others; try again.", 1);
  }

  /** One attempt, built from the current data. */
  private record Attempt(
      PassportChange passport,
      Claimed taken,
      Optional<Organization> organization,
      Optional<Member> place,
      Instant now,
      List<AuditRecord> entries) {}

  private Claims.Outcome store(Claim claim, Attempt attempt) {
    return claims.take(
        claim,
        attempt.passport(),
        attempt.taken().isNew() ? Optional.of(attempt.taken().account()) : Optional.empty(),
        attempt.organization(),
        attempt.place(),
        attempt.now(),
        attempt.entries());
  }

  private Attempt attempt(Origin asked, Claim claim, Passport passport, Optional<String> hash) {
    Instant now = recorder.now();
    Optional<Account> known = accounts.byEmail(claim.email());
    Account account =
        known.orElseGet(() -> {
          Account fresh =
              Account.fresh("acc_" + recorder.nextHex(), claim.email(), claim.displayName(), now);
          return hash.map(fresh::withPassword).orElse(fresh);
        });
    // The organization of a passport that an organization issued, or that has got an owner, does
    // not change: the human is responsible for the agent but does not manage the organization.
    boolean manages = claim.personal() && !claims.isOwned(claim.org());
    Optional<Organization> organization =
        manages || !accounts.memberships(account.id()).isEmpty()
            ? Optional.empty()
            : Optional.of(
                new Organization(new OrgId("org_" + recorder.nextHex()), "Personal", now));
    OrgId org = organization.map(Organization::id).orElse(claim.org());
    Optional<Member> place =
        manages || organization.isPresent()
            ? Optional.of(new Member(org, account.id(), Role.OWNER, now))
            : Optional.empty();
    var origin =
        new Origin(
            new Caller.Person(account.id(), "claim", org, Role.OWNER),
            asked.address(),
            asked.requestId());
    PassportChange claimed = PassportChange.claimed(passport, account.id(), recorder, origin, now);
    var entries = new ArrayList<AuditRecord>();
    entries.add(claimed.entry());
    place.ifPresent(member -> entries.add(joined(origin, member, now)));
    return new Attempt(
        claimed,
        new Claimed(claimed.after(), account, org, known.isEmpty()),
        organization,
        place,
        now,
        List.copyOf(entries));
  }

  private AuditRecord joined(Origin origin, Member member, Instant now) {
    return recorder.write(
        RecordKind.CONFIG, member.org(), now, origin, member.recorded("member_added"));
  }
}

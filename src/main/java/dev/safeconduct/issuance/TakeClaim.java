package dev.safeconduct.issuance;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.ClaimedPassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.Member;
import dev.safeconduct.people.Organization;
import dev.safeconduct.people.SetPassword;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes a human the owner of a passport. Whoever holds the letter's link has proved the address,
 * which is what an account is: one is made where there is none.
 */
public final class TakeClaim {
  /** The passport may be changed, and the address get an account, while the claim is taken. */
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
   * A passport that has been claimed.
   *
   * @param org where the human is a member
   * @param isNew whether their account was made with it
   */
  public record Taken(Passport passport, Account account, OrgId org, boolean isNew) {}

  /**
   * Takes the claim; of any number that try at once, one succeeds.
   *
   * @param password for a new account; it may be set later by mail as well
   * @return empty when the claim has been used
   * @throws dev.safeconduct.problem.ProblemException 400 for a password that is not fit
   */
  public Optional<Taken> run(Origin asked, Claim claim, Optional<String> password) {
    // Made once: it takes a while, and what follows may have to be tried again.
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
    throw new Problem.Unavailable("The passport is being changed by others; try again.", 1)
        .toException();
  }

  /** One try, put together from what is known now. */
  private record Attempt(
      ClaimedPassport passport,
      Taken taken,
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
    // The organization of a passport issued by an organization stays its own: the human answers
    // for the agent and does not run the organization.
    Optional<Organization> organization =
        claim.personal() || known.isPresent()
            ? Optional.empty()
            : Optional.of(
                new Organization(new OrgId("org_" + recorder.nextHex()), "Personal", now));
    OrgId org = organization.map(Organization::id).orElse(claim.org());
    Optional<Member> place =
        claim.personal() || organization.isPresent()
            ? Optional.of(new Member(org, account.id(), Role.OWNER, now))
            : Optional.empty();
    var origin =
        new Origin(
            new Caller.Person(account.id(), "claim", org, Role.OWNER),
            asked.address(),
            asked.requestId());
    ClaimedPassport claimed = ClaimedPassport.of(passport, account.id(), recorder, origin, now);
    var entries = new ArrayList<AuditRecord>();
    entries.add(claimed.entry());
    place.ifPresent(member -> entries.add(joined(origin, member, now)));
    return new Attempt(
        claimed,
        new Taken(claimed.after(), account, org, known.isEmpty()),
        organization,
        place,
        now,
        List.copyOf(entries));
  }

  private AuditRecord joined(Origin origin, Member member, Instant now) {
    JsonObject what =
        JsonObject.builder()
            .put("change", "member_added")
            .put("account_id", member.accountId())
            .put("role", member.role().wire())
            .build();
    return recorder.write(RecordKind.CONFIG, member.org(), now, origin, what);
  }
}

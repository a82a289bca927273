package dev.safeconduct.issuance;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.passport.ClaimedPassport;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Member;
import dev.safeconduct.people.Organization;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where claims are kept. */
public interface Claims {
  Optional<Claim> find(String id);

  Optional<Claim> ofAgent(AgentId agent);

  /**
   * Gives the claim a new link, unless this letter has done so; earlier links end.
   *
   * @return the claim as it is now; empty when it has been used
   */
  Optional<Claim> renew(String id, String letter, Instant expiresAt, AuditRecord entry);

  /** What came of taking a claim. */
  enum Outcome {
    DONE,
    /** It has been used, renewed or is too old. */
    GONE,
    /** The passport has changed meanwhile; try again with what it is now. */
    STALE
  }

  /**
   * Uses the claim up and changes the passport, all or nothing: of any number that try at once, on
   * any node, one succeeds.
   *
   * @param newcomer the claimer's account, where it is to be made
   * @param organization the newcomer's own organization, where one is to be made
   * @param place where the claimer becomes an owner; left alone if they are a member there
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} when the address has got an
   *     account meanwhile
   */
  Outcome take(
      Claim claim,
      ClaimedPassport passport,
      Optional<Account> newcomer,
      Optional<Organization> organization,
      Optional<Member> place,
      Instant now,
      List<AuditRecord> entries);
}

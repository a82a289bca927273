package dev.safeconduct.passport.issue;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.Passport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The objects created when a passport is issued with a claim or without an account.
 *
 * @param organization the organization created for the passport
 * @param heldUntil until when the slug and its look-alikes are reserved against issuing without an
 *     account; absent for a slug that an organization chose
 * @param entries the audit records of all changes
 */
public record NewPassport(
    Optional<Organization> organization,
    Passport passport,
    Optional<ApiKey> setupKey,
    Optional<Claim> claim,
    Optional<OutboxEntry> claimEmail,
    Optional<Instant> heldUntil,
    List<AuditRecord> entries) {
  public NewPassport {
    entries = List.copyOf(entries);
  }
}

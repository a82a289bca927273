package dev.safeconduct.issuance;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.people.Organization;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Everything that comes into being when a passport is issued with a claim or without an account.
 *
 * @param organization the one made for it
 * @param heldUntil until when nobody else gets its slug, or one that looks like it, without an
 *     account; absent for a slug of an organization's own
 * @param entries the records of all of it
 */
public record NewPassport(
    Optional<Organization> organization,
    Passport passport,
    Optional<ApiKey> setupKey,
    Optional<Claim> claim,
    Optional<OutboxEntry> letter,
    Optional<Instant> heldUntil,
    List<AuditRecord> entries) {
  public NewPassport {
    entries = List.copyOf(entries);
  }
}

package dev.safeconduct.passport;

import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;

/** A passport after its revocation, with the audit record; not stored yet. */
public record RevokedPassport(
    Passport before, Passport after, StatusChange change, AuditRecord entry) {
  /** Returns the revoked passport, of one that is not revoked. */
  public static RevokedPassport of(
      Passport before, Recorder recorder, Origin origin, Instant now, String reason) {
    Passport after =
        PassportDocument.passport(
            PassportDocument.withStatus(before.document(), PassportStatus.REVOKED, now),
            before.revision() + 1);
    return new RevokedPassport(
        before,
        after,
        new StatusChange(
            after.agentId(), after.owner(), before.status(), after.status(), now, true),
        PassportChange.statusChanged(
            recorder,
            origin,
            now,
            before,
            after,
            JsonObject.builder().put("reason", reason).build()));
  }
}

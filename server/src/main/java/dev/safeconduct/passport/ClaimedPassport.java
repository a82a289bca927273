package dev.safeconduct.passport;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.Optional;

/**
 * A passport after a human has claimed ownership, with the audit record; not stored yet.
 *
 * @param entry the audit record that names the claimer
 */
public record ClaimedPassport(Passport before, Passport after, AuditRecord entry) {
  /**
   * Returns the claimed passport. {@code claimed} becomes true. The assurance level becomes at
   * least L1, because a human has answered at an email address the service wrote to.
   *
   * @param accountId the account of the claimer
   */
  public static ClaimedPassport of(
      Passport before, String accountId, Recorder recorder, Origin origin, Instant now) {
    JsonObject document = before.document().with("claimed", JsonBoolean.TRUE);
    boolean unsure =
        document.string("assurance_level").equals(Optional.of(AssuranceLevel.L0.wire()));
    if (unsure) {
      document = document.with("assurance_level", new JsonString(AssuranceLevel.L1.wire()));
    }
    Passport after =
        PassportDocument.passport(PassportDocument.touched(document, now), before.revision() + 1);
    JsonObject who = JsonObject.builder().put("account_id", accountId).build();
    return new ClaimedPassport(
        before,
        after,
        PassportChange.changed(
            recorder, RecordKind.PASSPORT_CLAIMED, origin, now, before, after, who));
  }
}

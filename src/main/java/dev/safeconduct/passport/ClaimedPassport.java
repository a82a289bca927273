package dev.safeconduct.passport;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.time.Instant;
import java.util.Optional;

/**
 * A passport as it is once a human has taken ownership, and the record of it; not stored yet.
 *
 * @param entry tells who claimed it
 */
public record ClaimedPassport(Passport before, Passport after, AuditRecord entry) {
  /**
   * Claims it: {@code claimed} is true, and the level at least L1, for a human answers to an
   * address we have written to.
   *
   * @param accountId who
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
        before, after, PassportChange.claimed(recorder, origin, now, before, after, who));
  }
}

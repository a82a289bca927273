package dev.safeconduct.passport.issue;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.PassportChange;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Revokes a passport that was issued without an account and that nobody has claimed, with its keys.
 * The claim is deleted, and with it the email address; the slug is free again.
 */
public final class RevokeUnclaimed {
  private static final int TRIES = 20;

  private final Claims claims;
  private final Passports passports;
  private final StatusReceivers receivers;
  private final Recorder recorder;

  public RevokeUnclaimed(
      Claims claims, Passports passports, StatusReceivers receivers, Recorder recorder) {
    this.claims = claims;
    this.passports = passports;
    this.receivers = receivers;
    this.recorder = recorder;
  }

  /**
   * Revokes it; of any number of concurrent attempts, on any node, one succeeds.
   *
   * @param claim of a passport that was issued without an account
   * @return false if the claim has been used, or is gone
   * @throws dev.safeconduct.error.ProblemException 503 if the passport keeps changing
   */
  boolean run(Origin origin, Claim claim, String reason) {
    for (int i = 0; i < TRIES; i++) {
      Instant now = recorder.now();
      JsonObject more = JsonObject.of("reason", reason);
      Optional<PassportChange> revoked =
          passports
              .find(claim.agent())
              .filter(passport -> passport.status() != PassportStatus.REVOKED)
              .map(passport ->
                  PassportChange.ofStatus(
                      recorder, origin, now, passport, PassportStatus.REVOKED, more));
      List<StatusChange> changes = revoked.map(PassportChange::status).stream().toList();
      switch (claims.end(
          claim,
          revoked,
          now,
          key -> ended(origin, key, now),
          stored -> receivers.emailed(changes, stored, Claims.Outcome.DONE::equals))) {
        case DONE -> {
          if (!changes.isEmpty()) {
            StatusReceivers.Delivery _ = receivers.notifyOf(changes);
          }
          return true;
        }
        case GONE -> {
          return false;
        }
        case STALE -> {}
      }
    }
    throw ProblemException.unavailable("The passport is being changed; try again.", 1);
  }

  private AuditRecord ended(Origin origin, ApiKey key, Instant now) {
    JsonObject what = JsonObject.builder().put("key_id", key.id()).put("name", key.name()).build();
    return recorder.write(RecordKind.KEY_REVOKED, key.org(), now, origin, what);
  }
}

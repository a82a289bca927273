package dev.safeconduct.access;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;

/** Revokes an API key, permanently and at once. */
public final class RevokeKey {
  private final ApiKeys keys;
  private final Directory directory;
  private final Recorder recorder;

  public RevokeKey(ApiKeys keys, Directory directory, Recorder recorder) {
    this.keys = keys;
    this.directory = directory;
    this.recorder = recorder;
  }

  /**
   * Revokes the key; a key that was revoked before stays unchanged.
   *
   * @return when it was revoked
   * @throws dev.safeconduct.error.ProblemException 404 for a key of another organization, 403 for a
   *     setup key
   */
  public Instant run(Origin origin, OrgId org, String keyId) {
    Rights rights = Rights.of(origin.caller());
    rights.demandUnbound();
    directory.within(rights, org.value());
    ApiKey key = keys.find(org, keyId).orElseThrow(() -> NotFoundProblems.key(keyId));
    Instant now = recorder.now();
    JsonObject what = JsonObject.builder().put("key_id", key.id()).put("name", key.name()).build();
    boolean revoked =
        key.revokedAt().isEmpty()
            && keys.revoke(
                org, keyId, now, recorder.write(RecordKind.KEY_REVOKED, org, now, origin, what));
    return revoked ? now : keys.find(org, keyId).flatMap(ApiKey::revokedAt).orElse(now);
  }
}

package dev.safeconduct.access;

import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;

/** Revokes an API key, for good and at once. */
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
   * Revokes the key; one that was revoked before stays as it is.
   *
   * @return when it was revoked
   * @throws dev.safeconduct.problem.ProblemException 404 for a key of another organization, 403 for
   *     a setup key
   */
  public Instant run(Origin origin, OrgId org, String keyId) {
    Rights rights = Rights.of(origin.caller());
    rights.demandUnbound();
    directory.within(rights, org.value());
    ApiKey key = keys.find(org, keyId).orElseThrow(() -> Unknown.key(keyId));
    Instant now = recorder.now();
    JsonObject what = JsonObject.builder().put("key_id", key.id()).put("name", key.name()).build();
    boolean revoked =
        key.revokedAt().isEmpty()
            && keys.revoke(
                org, keyId, now, recorder.write(RecordKind.KEY_REVOKED, org, now, origin, what));
    return revoked ? now : keys.find(org, keyId).flatMap(ApiKey::revokedAt).orElse(now);
  }
}

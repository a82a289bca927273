package dev.safeconduct.access;

import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/**
 * Replaces a key by a new one with the same name, scopes, sources and expiry. The old key remains
 * valid for a grace period, so that its users can switch.
 */
public final class RotateKey {
  static final Duration MAX_GRACE = Duration.ofDays(7);

  private final ApiKeys keys;
  private final Directory directory;
  private final Recorder recorder;
  private final Cell cell;
  private final RandomGenerator random;

  public RotateKey(
      ApiKeys keys, Directory directory, Recorder recorder, Cell cell, RandomGenerator random) {
    this.keys = keys;
    this.directory = directory;
    this.recorder = recorder;
    this.cell = cell;
    this.random = random;
  }

  /**
   * The result of a rotation.
   *
   * @param oldExpiresAt when the old key stops being accepted
   */
  public record Rotated(MintedKey successor, String oldKeyId, Instant oldExpiresAt) {}

  /**
   * Replaces the key.
   *
   * @param grace how long the old key remains valid, from zero to {@link #MAX_GRACE}
   * @throws dev.safeconduct.error.ProblemException 404 for a key of another organization, 403 for
   *     one with scopes the caller lacks, or with an expiry or addresses beyond those of the
   *     caller's key (its successor would hand them over), 409 for one that is no longer usable
   */
  public Rotated run(Origin origin, OrgId org, String keyId, Duration grace) {
    Rights rights = Rights.of(origin.caller());
    rights.demandUnbound();
    directory.within(rights, org.value());
    if (keys.find(org, keyId).isEmpty()) {
      throw NotFoundProblems.key(keyId);
    }
    KeyBounds bounds = KeyBounds.of(origin.caller(), keys);
    Instant now = recorder.now();
    String text = KeyText.make(cell, random);
    ApiKeys.Rotation rotation =
        keys.rotate(
                org,
                keyId,
                old -> {
                  old.scopes().forEach(rights::demand);
                  bounds.demandWithin(old.expiresAt(), old.sources());
                  old.demandUsable(now);
                  return rotation(origin, old, text, now, grace);
                })
            .orElseThrow(() -> NotFoundProblems.key(keyId));
    return new Rotated(new MintedKey(rotation.successor(), text), keyId, rotation.oldExpiresAt());
  }

  private ApiKeys.Rotation rotation(
      Origin origin, ApiKey old, String text, Instant now, Duration grace) {
    var same =
        new KeyRequest(old.name(), old.scopes(), old.boundTo(), old.expiresAt(), old.sources());
    ApiKey successor =
        CreateKey.key("key_" + recorder.nextHex(), old.org(), same, text, now, origin.caller());
    Instant until = now.plus(grace);
    Instant oldExpiresAt = old.expiresAt().filter(until::isAfter).orElse(until);
    JsonObject what =
        KeyShape.recorded(successor)
            .with(
                "replaces",
                JsonObject.builder()
                    .put("key_id", old.id())
                    .put("expires_at", IsoInstant.millis(oldExpiresAt))
                    .build());
    return new ApiKeys.Rotation(
        successor,
        oldExpiresAt,
        recorder.write(RecordKind.KEY_ROTATED, old.org(), now, origin, what));
  }
}

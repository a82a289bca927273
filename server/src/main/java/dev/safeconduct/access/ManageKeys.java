package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Creates, changes, revokes and rotates API keys. */
public final class ManageKeys {
  static final Duration MAX_GRACE = Duration.ofDays(7);

  private final ApiKeys keys;
  private final Directory directory;
  private final Recorder recorder;
  private final Cell cell;
  private final RandomGenerator random;

  /**
   * @param cell the cell that new keys name
   * @param random the source of keys: cryptographically strong and thread-safe
   */
  public ManageKeys(
      ApiKeys keys, Directory directory, Recorder recorder, Cell cell, RandomGenerator random) {
    this.keys = keys;
    this.directory = directory;
    this.recorder = recorder;
    this.cell = cell;
    this.random = random;
  }

  /**
   * Creates the key in the organization. Callers cannot grant a scope they lack, and an API key
   * creates none that is valid for longer or from more addresses than itself.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a scope the caller lacks, for an expiry
   *     or addresses beyond those of the caller's key, and for a setup key, 404 for another
   *     organization or its passport, 400 for an expiry that has passed
   */
  public MintedKey create(Origin origin, OrgId org, KeyRequest request) {
    Rights rights = rights(origin, org);
    for (Scope scope : request.scopes()) {
      if (!rights.scopes().contains(scope)) {
        throw ProblemException.forbidden(
            "A key cannot be given the scope " + scope.wire() + ", which its maker lacks.");
      }
    }
    KeyBounds.of(origin.caller(), keys).demandWithin(request.expiresAt(), request.sources());
    if (request.boundTo().isPresent() && !directory.owns(org, request.boundTo().get())) {
      throw NotFoundProblems.passport(request.boundTo().get());
    }
    return grant(origin, org, request);
  }

  /**
   * Creates the key on the service's own behalf, for a passport it has just issued. No caller's
   * scopes limit it.
   */
  public MintedKey grant(Origin origin, OrgId org, KeyRequest request) {
    Prepared prepared = prepare(origin, org, request);
    keys.create(prepared.minted().key(), prepared.entry());
    return prepared.minted();
  }

  /** A new key that is not stored yet, with its record. */
  public record Prepared(MintedKey minted, AuditRecord entry) {}

  /**
   * Creates the key for callers that store it together with other data; see {@link #grant}.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for an expiry that has passed
   */
  public Prepared prepare(Origin origin, OrgId org, KeyRequest request) {
    Instant now = recorder.now();
    if (request.expiresAt().isPresent() && !request.expiresAt().get().isAfter(now)) {
      throw ProblemException.invalid("expires_at", "expires_at must lie in the future.");
    }
    String text = KeyText.make(cell, random);
    ApiKey key = key("key_" + recorder.nextHex(), org, request, text, now, origin.caller());
    return new Prepared(
        new MintedKey(key, text),
        recorder.write(RecordKind.KEY_CREATED, org, now, origin, KeyShape.recorded(key)));
  }

  private static ApiKey key(
      String id, OrgId org, KeyRequest request, String text, Instant now, Caller maker) {
    return new ApiKey(
        id,
        org,
        request.name(),
        request.scopes(),
        request.boundTo(),
        request.sources(),
        KeyHash.of(text),
        KeyText.hint(text),
        now,
        Optional.of(maker.name()),
        request.expiresAt(),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * Changes the key's name, its expiry and the addresses that may use it, at once on every node.
   * Its scopes can only become fewer. A caller that has every scope of the key may lengthen its
   * life and permit more addresses, as it could by creating another key: no further than its own
   * key reaches. The key itself may not.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for a key of another organization, 400 for a
   *     scope that the key lacks or an expiry that has passed, 403 for a setup key and for a caller
   *     that is the key itself, lacks a scope of it or has a narrower key, and would lengthen its
   *     life or permit more addresses, 409 for a key that is no longer usable
   */
  ApiKey update(Origin origin, OrgId org, String keyId, KeyPatch patch) {
    Rights rights = rights(origin, org);
    Instant now = recorder.now();
    if (patch.expiresAt().filter(end -> !end.isAfter(now)).isPresent()) {
      throw ProblemException.invalid("expires_at", "expires_at must lie in the future.");
    }
    KeyBounds bounds = KeyBounds.of(origin.caller(), keys);
    return keys.update(
            org,
            keyId,
            before -> {
              ApiKey after = patch.applied(before);
              before.demandUsable(now);
              demandNarrower(before, after);
              if (outlives(after, before) || !before.sources().cover(after.sources())) {
                demandOther(origin.caller(), keyId);
                after.scopes().forEach(rights::demand);
                bounds.demandWithin(after.expiresAt(), after.sources());
              }
              return after;
            },
            after ->
                recorder.write(RecordKind.KEY_UPDATED, org, now, origin, KeyShape.recorded(after)))
        .orElseThrow(() -> NotFoundProblems.key(keyId));
  }

  private static void demandOther(Caller caller, String keyId) {
    if (caller instanceof Caller.Key key && key.keyId().equals(keyId)) {
      throw ProblemException.forbidden(
          "A key cannot lengthen its own life or permit itself more addresses; a person or"
              + " another key with its scopes can.");
    }
  }

  private static void demandNarrower(ApiKey before, ApiKey after) {
    Optional<Scope> added =
        after.scopes().stream().filter(scope -> !before.scopes().contains(scope)).findFirst();
    if (added.isPresent()) {
      throw ProblemException.invalid(
          "scopes",
          "scopes can only become fewer, and the key lacks "
              + added.get().wire()
              + "; create another key.");
    }
  }

  private static boolean outlives(ApiKey after, ApiKey before) {
    return before.expiresAt().isPresent()
        && (after.expiresAt().isEmpty()
            || after.expiresAt().get().isAfter(before.expiresAt().get()));
  }

  /**
   * Revokes the key, permanently and at once; a key that was revoked before stays unchanged.
   *
   * @return when it was revoked
   * @throws dev.safeconduct.error.ProblemException 404 for a key of another organization, 403 for a
   *     setup key
   */
  public Instant revoke(Origin origin, OrgId org, String keyId) {
    Rights _ = rights(origin, org);
    ApiKey key = keys.find(org, keyId).orElseThrow(() -> NotFoundProblems.key(keyId));
    Instant now = recorder.now();
    JsonObject what = JsonObject.builder().put("key_id", key.id()).put("name", key.name()).build();
    boolean revoked =
        key.revokedAt().isEmpty()
            && keys.revoke(
                org, keyId, now, recorder.write(RecordKind.KEY_REVOKED, org, now, origin, what));
    return revoked ? now : keys.find(org, keyId).flatMap(ApiKey::revokedAt).orElse(now);
  }

  /**
   * The result of a rotation.
   *
   * @param oldExpiresAt when the old key stops being accepted
   */
  public record Rotated(MintedKey successor, String oldKeyId, Instant oldExpiresAt) {}

  /**
   * Replaces the key by a new one with the same name, scopes, sources and expiry. The old key
   * remains valid for a grace period, so that its users can switch.
   *
   * @param grace how long the old key remains valid, from zero to {@link #MAX_GRACE}
   * @throws dev.safeconduct.error.ProblemException 404 for a key of another organization, 403 for
   *     one with scopes the caller lacks, or with an expiry or addresses beyond those of the
   *     caller's key (its successor would hand them over), 409 for one that is no longer usable
   */
  public Rotated rotate(Origin origin, OrgId org, String keyId, Duration grace) {
    Rights rights = rights(origin, org);
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
        key("key_" + recorder.nextHex(), old.org(), same, text, now, origin.caller());
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

  private Rights rights(Origin origin, OrgId org) {
    Rights rights = Rights.of(origin.caller());
    rights.demandUnbound();
    directory.within(rights, org.value());
    return rights;
  }
}

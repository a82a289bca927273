package dev.safeconduct.audit;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.signing.KeyRecords;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.SealedKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The endpoints of all signing keys ever used, with validity, rotation and emergency revocation.
 */
public final class SigningKeyEndpoints {
  private static final int MAX_REASON = 500;

  private final KeyRing ring;
  private final SigningKeys keys;
  private final Recorder recorder;
  private final ActingOrganization organization;

  public SigningKeyEndpoints(
      KeyRing ring, SigningKeys keys, Recorder recorder, ActingOrganization organization) {
    this.ring = ring;
    this.keys = keys;
    this.recorder = recorder;
    this.organization = organization;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/signing-keys", Permission.OPEN, this::list),
        Route.post("/api/admin/signing-keys/rotate", Permission.ADMIN_ONLY, this::rotate),
        Route.post("/api/admin/signing-keys/{kid}/revoke", Permission.ADMIN_ONLY, this::revoke));
  }

  private Response list(Request request) {
    return Response.ok(
        JsonObject.builder()
            .put("keys", ring.all(), SigningKeyEndpoints::shape)
            .putNull("next_cursor"));
  }

  private Response rotate(Request request) {
    Members body = Members.of(request.json()).only(Set.of("purpose"));
    String text = body.text("purpose").orElseThrow(() -> body.missing("purpose"));
    Purpose purpose =
        Arrays.stream(Purpose.values())
            .filter(known -> known.wire().equals(text))
            .findFirst()
            .orElseThrow(() -> body.fault("purpose", "purpose must be one of " + purposes() + "."));
    Instant now = recorder.now();
    SealedKey fresh = ring.fresh(purpose, now);
    keys.rotate(
        fresh,
        key -> ring.retired(key, now),
        retired ->
            record(
                request,
                now,
                KeyRecords.what(KeyRecords.ROTATED, purpose)
                    .put("kid", fresh.kid())
                    .put("x", fresh.x())
                    .put("retired_kid", retired.kid())
                    .build()));
    return Response.json(201, shape(fresh));
  }

  private Response revoke(Request request) {
    Members body = Members.of(request.json()).only(Set.of("reason"));
    String reason = body.requiredLine("reason", MAX_REASON);
    String named = request.pathParam("kid");
    String id =
        named.startsWith(SealedKey.PREFIX) ? named.substring(SealedKey.PREFIX.length()) : named;
    Instant now = recorder.now();
    Optional<SealedKey> revoked =
        keys.revoke(
            id,
            key -> ring.revoked(key, now),
            key -> ring.fresh(key.purpose(), now),
            (key, fresh) ->
                record(
                    request,
                    now,
                    KeyRecords.what(KeyRecords.REVOKED, key.purpose())
                        .put("kid", key.kid())
                        .put("reason", reason)
                        .putIfPresent("replaced_by", Optional.ofNullable(fresh).map(SealedKey::kid))
                        .putIfPresent("replaced_by_x", Optional.ofNullable(fresh).map(SealedKey::x))
                        .build()));
    SealedKey key =
        revoked.orElseThrow(() ->
            ProblemException.notFound("There is no such signing key.", "key_not_found", Map.of()));
    // Also for a key revoked before, so that callers can retry when the module did not answer.
    ring.destroy(key);
    return Response.json(shape(key));
  }

  private AuditRecord record(Request request, Instant now, JsonObject what) {
    Origin origin = request.origin();
    return recorder.write(
        RecordKind.CONFIG, organization.of(Rights.of(request.caller())), now, origin, what);
  }

  private static JsonObject shape(SealedKey key) {
    return JsonObject.builder()
        .put("kid", key.kid())
        .put("purpose", key.purpose().wire())
        .put("status", status(key))
        .put("alg", "EdDSA")
        .put("x", key.x())
        .put("created_at", IsoInstant.millis(key.createdAt()))
        .putOrNull("retired_at", key.retiredAt().map(IsoInstant::millis))
        .putOrNull("revoked_at", key.revokedAt().map(IsoInstant::millis))
        .build();
  }

  private static String status(SealedKey key) {
    if (key.revokedAt().isPresent()) {
      return "revoked";
    }
    return key.retiredAt().isPresent() ? "retired" : "current";
  }

  private static String purposes() {
    return Arrays.stream(Purpose.values()).map(Purpose::wire).collect(Collectors.joining(", "));
  }
}

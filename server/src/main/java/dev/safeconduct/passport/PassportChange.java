package dev.safeconduct.passport;

import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Builds the audit record of a passport change. It lists the changed members, the new values that
 * matter for evaluation, and the digest of the document. Personal and free-form members are listed
 * by name only.
 */
final class PassportChange {
  private static final Set<String> SHOWN =
      Set.of(
          "name",
          "slug",
          "role",
          "capabilities",
          "limits",
          "regions",
          "mcp",
          "hooks",
          "expires_at",
          "never_expires",
          "assurance_level",
          "parent_agent_id");
  private static final Set<String> UNNAMED =
      Set.of("updated_at", "modified_at", "status_updated_at", "version");

  private PassportChange() {}

  static AuditRecord issued(Recorder recorder, Origin origin, Passport passport) {
    return recorder.write(
        RecordKind.PASSPORT_ISSUED,
        passport.owner(),
        passport.agentId(),
        passport.createdAt(),
        origin,
        JsonObject.builder()
            .put("status", passport.status().wire())
            .putAll(described(JsonObject.EMPTY, passport.document()))
            .build());
  }

  /**
   * Builds the record of other changes.
   *
   * @param more facts that are not in the document
   */
  static AuditRecord changed(
      Recorder recorder,
      RecordKind kind,
      Origin origin,
      Instant at,
      Passport before,
      Passport after,
      JsonObject more) {
    return recorder.write(
        kind,
        after.owner(),
        after.agentId(),
        at,
        origin,
        JsonObject.builder()
            .putAll(described(before.document(), after.document()))
            .putAll(more)
            .build());
  }

  /** Builds the record of a status change, which may include content changes. */
  static AuditRecord statusChanged(
      Recorder recorder,
      Origin origin,
      Instant at,
      Passport before,
      Passport after,
      JsonObject more) {
    return changed(
        recorder,
        RecordKind.STATUS_CHANGE,
        origin,
        at,
        before,
        after,
        JsonObject.builder()
            .put("status", after.status().wire())
            .put("previous_status", before.status().wire())
            .putAll(more)
            .build());
  }

  private static JsonObject described(JsonObject before, JsonObject after) {
    List<String> changed =
        PassportDocument.changed(before, after).stream()
            .filter(name -> !UNNAMED.contains(name))
            .toList();
    JsonObject.Builder values = JsonObject.builder();
    for (String name : changed) {
      JsonValue value = after.get(name);
      if (SHOWN.contains(name) && value != null) {
        values.put(name, value);
      }
    }
    return JsonObject.builder()
        .put("changed", JsonArray.ofStrings(changed))
        .put("values", values.build())
        .put("version", Objects.requireNonNull(after.get("version")))
        .put("passport_digest", CanonicalJson.digest(after))
        .build();
  }
}

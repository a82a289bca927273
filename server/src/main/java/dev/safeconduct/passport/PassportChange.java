package dev.safeconduct.passport;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.text.Words;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A passport before and after a change that is not stored yet.
 *
 * @param entry the audit record. It lists the changed members, the new values that matter for
 *     evaluation, and the digest of the document. Personal and free-form members are listed by name
 *     only
 */
public record PassportChange(Passport before, Passport after, Instant at, AuditRecord entry) {
  private static final Set<String> SHOWN =
      Words.set(
          """
          name slug role capabilities limits regions mcp hooks expires_at never_expires
          assurance_level parent_agent_id
          """);
  private static final Set<String> UNNAMED =
      Set.of("updated_at", "modified_at", "status_updated_at", "version");

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
   * Returns a change of the content.
   *
   * @param more facts that are not in the document
   */
  static PassportChange of(
      Recorder recorder,
      RecordKind kind,
      Origin origin,
      Instant at,
      Passport before,
      Passport after,
      JsonObject more) {
    return new PassportChange(
        before,
        after,
        at,
        recorder.write(
            kind,
            after.owner(),
            after.agentId(),
            at,
            origin,
            JsonObject.builder()
                .putAll(described(before.document(), after.document()))
                .putAll(more)
                .build()));
  }

  /** Returns a change of the status, which may include content changes. */
  static PassportChange ofStatus(
      Recorder recorder,
      Origin origin,
      Instant at,
      Passport before,
      Passport after,
      JsonObject more) {
    return of(
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

  /** Returns a change of the status alone. */
  public static PassportChange ofStatus(
      Recorder recorder,
      Origin origin,
      Instant at,
      Passport before,
      PassportStatus next,
      JsonObject more) {
    JsonObject document = PassportDocument.withStatus(before.document(), next, at);
    Passport after = PassportDocument.passport(document, before.revision() + 1);
    return ofStatus(recorder, origin, at, before, after, more);
  }

  /**
   * Returns the change when a human claims ownership. {@code claimed} becomes true. The assurance
   * level becomes at least L1, because a human has answered at an email address the service wrote
   * to.
   *
   * @param accountId the account of the claimer
   */
  public static PassportChange claimed(
      Passport before, String accountId, Recorder recorder, Origin origin, Instant at) {
    JsonObject document = before.document().with("claimed", JsonBoolean.TRUE);
    boolean unsure =
        document.string("assurance_level").equals(Optional.of(AssuranceLevel.L0.wire()));
    if (unsure) {
      document = document.with("assurance_level", AssuranceLevel.L1.wire());
    }
    Passport after =
        PassportDocument.passport(PassportDocument.touched(document, at), before.revision() + 1);
    JsonObject who = JsonObject.of("account_id", accountId);
    return of(recorder, RecordKind.PASSPORT_CLAIMED, origin, at, before, after, who);
  }

  /** Returns the storing of the change, to commit it together with others. */
  public Mutation<Boolean> storing() {
    return Passports.replacing(after, before.revision(), entry);
  }

  /** Returns the change of the status, as receivers are told of it. */
  public StatusChange status() {
    return new StatusChange(
        after.agentId(), after.owner(), before.status(), after.status(), at, true);
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

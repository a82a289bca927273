package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/** The JSON of a key in responses and records; absent parts are null. */
public final class KeyShape {
  private KeyShape() {}

  /** Returns a key as lists show it. */
  static JsonObject listed(ApiKey key) {
    return JsonObject.builder()
        .put("key_id", key.id())
        .put("name", key.name())
        .put("scopes", scopes(key))
        .put("agent_id", text(key.boundTo().map(AgentId::value)))
        .put("created_at", IsoInstant.millis(key.createdAt()))
        .put("expires_at", time(key.expiresAt()))
        .put("revoked_at", time(key.revokedAt()))
        .put("last_used_at", time(key.lastUsedAt()))
        .put("created_by", text(key.createdBy()))
        .put(AllowedSources.MEMBER, key.sources().json())
        .put("hint", key.hint())
        .build();
  }

  /** Returns a new key with its text, which is shown only once. */
  static JsonObject minted(MintedKey minted) {
    return JsonObject.builder()
        .put("key_id", minted.key().id())
        .put("key", minted.text())
        .putAll(listed(minted.key()).without("revoked_at").without("last_used_at"))
        .build();
  }

  /** Returns the audit log's data about a new key, without its text and hash. */
  static JsonObject recorded(ApiKey key) {
    JsonObject.Builder body =
        JsonObject.builder()
            .put("key_id", key.id())
            .put("name", key.name())
            .put("scopes", scopes(key));
    key.boundTo().ifPresent(agent -> body.put("bound_to", agent.value()));
    key.expiresAt().ifPresent(at -> body.put("expires_at", IsoInstant.millis(at)));
    if (!key.sources().ranges().isEmpty()) {
      body.put(AllowedSources.MEMBER, key.sources().json());
    }
    return body.build();
  }

  /** Returns the scopes in their usual order. */
  public static JsonArray scopes(ApiKey key) {
    return JsonArray.ofStrings(
        Arrays.stream(Scope.values()).filter(key.scopes()::contains).map(Scope::wire).toList());
  }

  private static JsonValue time(Optional<Instant> at) {
    return text(at.map(IsoInstant::millis));
  }

  private static JsonValue text(Optional<String> text) {
    return text.<JsonValue>map(JsonString::new).orElse(JsonNull.NULL);
  }
}

package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.Arrays;

/** The JSON of a key in responses and records; absent parts are null. */
public final class KeyShape {
  private KeyShape() {}

  /** Returns a key as lists show it. */
  static JsonObject listed(ApiKey key) {
    return JsonObject.builder()
        .put("key_id", key.id())
        .put("name", key.name())
        .put("scopes", scopes(key))
        .putOrNull("agent_id", key.boundTo().map(AgentId::value))
        .put("created_at", IsoInstant.millis(key.createdAt()))
        .putOrNull("expires_at", key.expiresAt().map(IsoInstant::millis))
        .putOrNull("revoked_at", key.revokedAt().map(IsoInstant::millis))
        .putOrNull("last_used_at", key.lastUsedAt().map(IsoInstant::millis))
        .putOrNull("created_by", key.createdBy())
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
            .put("scopes", scopes(key))
            .putIfPresent("bound_to", key.boundTo().map(AgentId::value))
            .putIfPresent("expires_at", key.expiresAt().map(IsoInstant::millis));
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
}

package dev.safeconduct.testkit;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.problem.Problem;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** API keys in memory. */
public final class InMemoryApiKeys implements ApiKeys {
  private final InMemoryChanges changes;
  private final Map<String, ApiKey> keys = new LinkedHashMap<>();
  private int lookups;

  public InMemoryApiKeys(InMemoryChanges changes) {
    this.changes = changes;
  }

  /** How often a key was looked for by its hash. */
  public synchronized int lookups() {
    return lookups;
  }

  @Override
  public synchronized Optional<ApiKey> find(KeyHash hash) {
    lookups++;
    return keys.values().stream().filter(key -> key.hash().matches(hash)).findFirst();
  }

  @Override
  public synchronized Optional<ApiKey> find(OrgId org, String keyId) {
    return Optional.ofNullable(keys.get(keyId)).filter(key -> key.org().equals(org));
  }

  @Override
  public synchronized List<ApiKey> list(OrgId org, Optional<String> afterId, int limit) {
    List<ApiKey> newest =
        keys.values().stream().filter(key -> key.org().equals(org)).toList().reversed();
    int from =
        afterId.map(id -> newest.stream().map(ApiKey::id).toList().indexOf(id) + 1).orElse(0);
    return newest.stream().skip(from).limit(limit).toList();
  }

  @Override
  public synchronized void create(ApiKey key, AuditRecord entry) {
    keys.put(key.id(), key);
    changes.commit(entry, Change.key(key.id()));
  }

  @Override
  public synchronized boolean revoke(OrgId org, String keyId, Instant at, AuditRecord entry) {
    ApiKey key = find(org, keyId).filter(found -> found.revokedAt().isEmpty()).orElse(null);
    if (key == null) {
      return false;
    }
    keys.put(keyId, with(key, key.expiresAt(), Optional.of(at)));
    changes.commit(entry, Change.key(keyId));
    return true;
  }

  @Override
  public synchronized void rotate(
      ApiKey successor, OrgId org, String oldKeyId, Instant oldExpiresAt, AuditRecord entry) {
    ApiKey old =
        find(org, oldKeyId)
            .filter(key -> key.revokedAt().isEmpty())
            .orElseThrow(
                () -> new Problem.Conflict("The key is revoked.", "key_revoked").toException());
    keys.put(oldKeyId, with(old, Optional.of(oldExpiresAt), old.revokedAt()));
    keys.put(successor.id(), successor);
    changes.commit(entry, Change.key(oldKeyId), Change.key(successor.id()));
  }

  private static ApiKey with(ApiKey key, Optional<Instant> expires, Optional<Instant> revoked) {
    return new ApiKey(
        key.id(),
        key.org(),
        key.name(),
        key.scopes(),
        key.boundTo(),
        key.hash(),
        key.hint(),
        key.createdAt(),
        expires,
        revoked);
  }
}

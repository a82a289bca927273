package dev.safeconduct.access;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Where API keys are kept. Each change is one transaction with its record and announces {@code
 * key:<id>} on the change feed.
 */
public interface ApiKeys {
  Optional<ApiKey> find(KeyHash hash);

  /** The organization's key of that id; empty also when it belongs to another. */
  Optional<ApiKey> find(OrgId org, String keyId);

  /** The organization's keys, newest first, from the place after {@code afterId}. */
  List<ApiKey> list(OrgId org, Optional<String> afterId, int limit);

  void create(ApiKey key, AuditRecord entry);

  /** Revokes the key; false when it was revoked already (then nothing is recorded). */
  boolean revoke(OrgId org, String keyId, Instant at, AuditRecord entry);

  /** Adds the successor and lets the old key expire at {@code oldExpiresAt}. */
  void rotate(
      ApiKey successor, OrgId org, String oldKeyId, Instant oldExpiresAt, AuditRecord entry);
}

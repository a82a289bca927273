package dev.safeconduct.policy.hosted;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyId;
import java.time.Instant;
import java.util.Optional;

/**
 * A published version of an organization's pack, without its document.
 *
 * @param number 1 for the first; each later one is one more
 * @param digest {@code sha256:} and 64 hex digits over the RFC 8785 form of the document
 * @param name the pack's name in this version
 * @param label the version label in the document
 * @param createdBy the publisher, as audit records name callers
 * @param deprecatedAt when it was withdrawn
 */
public record PackVersion(
    int number,
    String digest,
    String name,
    String label,
    Instant createdAt,
    String createdBy,
    Optional<Instant> deprecatedAt) {
  /** Returns what the audit log records of a change. */
  JsonObject recorded(String change, PolicyId id) {
    return JsonObject.builder()
        .put("change", change)
        .put("policy_id", id.value())
        .put("version", number)
        .put("policy_digest", digest)
        .build();
  }
}

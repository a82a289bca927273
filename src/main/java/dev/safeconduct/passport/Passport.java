package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.Optional;

/**
 * A hosted passport.
 *
 * @param document the whole passport, exactly as {@code GET /api/passports/{id}} answers it; what
 *     is judged and digested
 * @param revision counts every change of the document, from 1; the {@code ETag}
 */
public record Passport(
    AgentId agentId,
    OrgId owner,
    Optional<String> slug,
    String name,
    PassportStatus status,
    long revision,
    Instant createdAt,
    JsonObject document) {
  /** How many passports an instance may be made of, one through the other. */
  public static final int MOST_TEMPLATES = 8;
}

package dev.safeconduct.passport;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.Optional;

/**
 * A hosted passport.
 *
 * @param document the whole passport, exactly as {@code GET /api/passports/{id}} returns it;
 *     evaluation and digests use this form
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
  /** The maximum length of a chain of templates. */
  public static final int MOST_TEMPLATES = 8;

  public boolean isExpired(Instant now) {
    return JudgedPassport.Expiry.of(document).isOver(now);
  }

  static ProblemException idTaken(String id) {
    return ProblemException.conflict("There is a passport " + id + ".", "agent_id_taken");
  }

  ProblemException slugTaken() {
    return ProblemException.conflict(
        "The slug " + slug.orElse("") + " is taken; choose another.", "slug_taken");
  }
}

package dev.safeconduct.passport.issue;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Optional;

/**
 * A human's right to claim ownership of a passport.
 *
 * @param id {@code clm_} and 32 hex digits
 * @param org the organization that owns the passport
 * @param personal whether that organization was created for this passport; then its claimer owns it
 * @param email the human's email address; the link is sent only there. {@link #NOBODY} for a
 *     passport that names no human
 * @param displayName the human's name as given by the issuer; may be empty
 * @param expiresAt the expiry of the newest link; a link with another expiry is not valid
 * @param lastEntry the outbox entry that last renewed the link
 * @param usedAt the time of the claim, which is final
 * @param askedFrom the address of the caller without an account who had the passport issued
 * @param warnedAt when the human was told that the passport will end
 */
public record Claim(
    String id,
    AgentId agent,
    OrgId org,
    boolean personal,
    EmailAddress email,
    String displayName,
    Instant createdAt,
    Instant expiresAt,
    Optional<String> lastEntry,
    Optional<Instant> usedAt,
    Optional<String> askedFrom,
    Optional<Instant> warnedAt) {
  /** In the place of an address: no link is ever sent, and the passport ends without a warning. */
  static final EmailAddress NOBODY = new EmailAddress("nobody" + EmailAddress.NOBODY);

  boolean namesNobody() {
    return email.value().equals(NOBODY.value());
  }

  boolean isOpenAt(Instant now) {
    return usedAt.isEmpty() && now.isBefore(expiresAt);
  }
}

package dev.safeconduct.shadow;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A recorded decision that a tried version is to be held against.
 *
 * @param version the number of the version that is tried
 * @param pack the version that is tried; absent when it does not compile on this node
 * @param decided what the active version decided, with the charges it took
 * @param activeDigest the digest of the active version
 * @param question judges the same action again
 * @param weight about how much memory the question holds, see {@link Weight}
 */
public record Trial(
    OrgId org,
    String policyId,
    int version,
    String digest,
    Optional<PolicyPack> pack,
    String agentId,
    Instant at,
    UUID decisionId,
    Outcome decided,
    String activeDigest,
    Question question,
    long weight) {

  /** The action, to be judged by any pack. */
  @FunctionalInterface
  public interface Question {
    Outcome judgedBy(PolicyPack pack, Usage usage);
  }
}

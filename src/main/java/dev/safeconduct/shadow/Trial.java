package dev.safeconduct.shadow;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A recorded decision that a tried version is to be held against, with all it was judged by.
 *
 * @param version the number of the version that is tried
 * @param pack the version that is tried; absent when it does not compile on this node
 * @param context the context as it came in, before dialects
 * @param stateScope what the agent's counters are kept under
 * @param decided what the active version decided, with the charges it took
 * @param activeDigest the digest of the active version
 */
public record Trial(
    OrgId org,
    String policyId,
    int version,
    String digest,
    Optional<PolicyPack> pack,
    String agentId,
    JsonObject passport,
    boolean templateActive,
    JsonObject context,
    List<String> stateScope,
    Feeds feeds,
    Instant at,
    UUID decisionId,
    Outcome decided,
    String activeDigest) {}

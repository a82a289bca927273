package dev.safeconduct.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * The outcome of a recorded decision in few words.
 *
 * @param code of its first reason
 * @param rule which rule of the pack decided, if one did
 */
public record RecordedOutcome(
    Instant at, String agent, String policyId, boolean allow, String code, Optional<String> rule) {}

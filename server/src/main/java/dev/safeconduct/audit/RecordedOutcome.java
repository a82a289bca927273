package dev.safeconduct.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * A short form of a recorded decision's outcome.
 *
 * @param code of its first reason
 * @param rule the pack's rule that decided, if any
 */
public record RecordedOutcome(
    Instant at, String agent, String policyId, boolean allow, String code, Optional<String> rule) {}

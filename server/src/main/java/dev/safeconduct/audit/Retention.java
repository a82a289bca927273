package dev.safeconduct.audit;

import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Optional;

/**
 * The retention of an organization's records.
 *
 * @param days the age at which contents are erased; never when absent
 */
public record Retention(OrgId org, Optional<Integer> days, Instant updatedAt) {}

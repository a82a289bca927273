package dev.safeconduct.retention;

import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Optional;

/**
 * How long the contents of an organization's records are kept.
 *
 * @param days after so many they are erased; for good when absent
 */
public record Retention(OrgId org, Optional<Integer> days, Instant updatedAt) {}

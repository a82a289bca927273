package dev.safeconduct.access.people;

import dev.safeconduct.identity.OrgId;
import java.time.Instant;

/** A tenant: it owns passports, keys and packs. {@code name} has 1 to 100 characters. */
public record Organization(OrgId id, String name, Instant createdAt) {}

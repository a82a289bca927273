package dev.safeconduct.access.people;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import java.time.Instant;

/** A person's membership in an organization. */
public record Member(OrgId org, String accountId, Role role, Instant since) {}

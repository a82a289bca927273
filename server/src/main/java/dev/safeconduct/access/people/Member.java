package dev.safeconduct.access.people;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;

/** A person's membership in an organization. */
public record Member(OrgId org, String accountId, Role role, Instant since) {
  /** Returns what the audit log records of a change. */
  public JsonObject recorded(String change) {
    return JsonObject.builder()
        .put("change", change)
        .put("account_id", accountId)
        .put("role", role.wire())
        .build();
  }
}

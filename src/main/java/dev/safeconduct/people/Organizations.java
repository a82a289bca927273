package dev.safeconduct.people;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.util.List;
import java.util.Optional;

/** Where organizations are kept. */
public interface Organizations {
  Optional<Organization> find(OrgId id);

  /** The organizations the tenant may see, oldest first, from the place after {@code afterId}. */
  List<Organization> list(Tenant tenant, Optional<OrgId> afterId, int limit);

  /** The one made first: the default of the admin credential. */
  Optional<Organization> first();

  /** Adds the organization and appends the record together. */
  void create(Organization organization, AuditRecord entry);
}

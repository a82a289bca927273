package dev.safeconduct.testkit;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.people.Organization;
import dev.safeconduct.people.Organizations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Organizations in memory. */
public final class InMemoryOrganizations implements Organizations {
  private final InMemoryChanges changes;
  private final Map<OrgId, Organization> organizations = new LinkedHashMap<>();

  public InMemoryOrganizations(InMemoryChanges changes) {
    this.changes = changes;
  }

  @Override
  public synchronized Optional<Organization> find(OrgId id) {
    return Optional.ofNullable(organizations.get(id));
  }

  @Override
  public synchronized List<Organization> list(Tenant tenant, Optional<OrgId> afterId, int limit) {
    List<Organization> all =
        organizations.values().stream().filter(each -> tenant.sees(each.id())).toList();
    int from =
        afterId.map(id -> all.stream().map(Organization::id).toList().indexOf(id) + 1).orElse(0);
    return all.stream().skip(from).limit(limit).toList();
  }

  @Override
  public synchronized Optional<Organization> first() {
    return organizations.values().stream().findFirst();
  }

  @Override
  public synchronized void create(Organization organization, AuditRecord entry) {
    organizations.put(organization.id(), organization);
    changes.commit(entry);
  }
}

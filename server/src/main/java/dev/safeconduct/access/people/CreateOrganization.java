package dev.safeconduct.access.people;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;

/** Adds an organization. */
public final class CreateOrganization {
  private final Organizations organizations;
  private final Recorder recorder;

  public CreateOrganization(Organizations organizations, Recorder recorder) {
    this.organizations = organizations;
    this.recorder = recorder;
  }

  /**
   * Adds the organization and records it.
   *
   * @param name 1 to 100 characters
   */
  public Organization run(Origin origin, String name) {
    Prepared prepared = prepare(origin, name);
    organizations.create(prepared.organization(), prepared.entry());
    return prepared.organization();
  }

  /** A new organization that is not stored yet, with its record. */
  public record Prepared(Organization organization, AuditRecord entry) {}

  /** Creates it for callers that store it together with other data; see {@link #run}. */
  public Prepared prepare(Origin origin, String name) {
    Instant now = recorder.now();
    var organization = new Organization(new OrgId("org_" + recorder.nextHex()), name, now);
    JsonObject what =
        JsonObject.builder().put("change", "organization_created").put("name", name).build();
    return new Prepared(
        organization, recorder.write(RecordKind.CONFIG, organization.id(), now, origin, what));
  }
}

package dev.safeconduct.passport;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.RetentionEndpoints;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** {@code DELETE /api/orgs/{org_id}}: for operators and the organization's owners. */
public final class DeleteOrganizationEndpoint {
  private final DeleteOrganization delete;
  private final Organizations organizations;
  private final Directory directory;

  public DeleteOrganizationEndpoint(
      DeleteOrganization delete, Organizations organizations, Directory directory) {
    this.delete = delete;
    this.organizations = organizations;
    this.directory = directory;
  }

  public List<Route> routes() {
    return List.of(Route.delete("/api/orgs/{org_id}", Permission.ADMINISTRATOR, this::delete));
  }

  private Response delete(Request request) {
    OrgId id = directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
    if (request.caller() instanceof Caller.Person person && person.role() != Role.OWNER) {
      throw ProblemException.forbidden("Only an owner or an operator can delete the organization.");
    }
    Organization org =
        organizations.find(id).orElseThrow(() -> NotFoundProblems.organization(id.value()));
    String reason = RetentionEndpoints.reason(request);
    if (!request.query("confirm").equals(Optional.of(org.name()))) {
      throw ProblemException.invalid(
          "confirm", "confirm must be the organization's name: " + org.name());
    }
    DeleteOrganization.Deleted deleted = delete.run(request.origin(), org, reason);
    return Response.json(
        JsonObject.builder()
            .put("ok", true)
            .put("org_id", id.value())
            .put("deleted_at", IsoInstant.millis(deleted.at()))
            .put("passports_revoked", deleted.passports())
            .put("keys_revoked", deleted.keys())
            .put("members_removed", deleted.members())
            .put("webhook", StatusBody.webhook(deleted.delivery())));
  }
}

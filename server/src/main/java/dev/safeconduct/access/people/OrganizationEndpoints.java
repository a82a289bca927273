package dev.safeconduct.access.people;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.util.List;
import java.util.Set;

/**
 * {@code /api/orgs}: list and add organizations, for the admin credential; read and rename one, for
 * its owners and admins too.
 */
public final class OrganizationEndpoints {
  private static final String ONE = "/api/orgs/{org_id}";
  private static final int MAX_NAME = 100;

  private final Organizations organizations;
  private final CreateOrganization createOrganization;
  private final Directory directory;
  private final Recorder recorder;

  public OrganizationEndpoints(
      Organizations organizations,
      CreateOrganization createOrganization,
      Directory directory,
      Recorder recorder) {
    this.organizations = organizations;
    this.createOrganization = createOrganization;
    this.directory = directory;
    this.recorder = recorder;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/orgs", new Permission.AdminOnly(), this::list),
        Route.post("/api/orgs", new Permission.AdminOnly(), this::create),
        Route.get(
            ONE, Permission.ADMINISTRATOR, request -> Response.json(200, shape(org(request)))),
        Route.patch(ONE, Permission.ADMINISTRATOR, this::rename));
  }

  private Organization org(Request request) {
    OrgId id = directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
    return organizations.find(id).orElseThrow(() -> NotFoundProblems.organization(id.value()));
  }

  /** Renames the organization; the same name changes and records nothing. */
  private Response rename(Request request) {
    Organization before = org(request);
    String name = Members.of(request.json()).only(Set.of("name")).requiredLine("name", MAX_NAME);
    if (!name.equals(before.name())) {
      JsonObject what =
          JsonObject.builder()
              .put("change", "organization_renamed")
              .put("name", name)
              .put("previous_name", before.name())
              .build();
      organizations.rename(
          before.id(),
          name,
          recorder.write(RecordKind.CONFIG, before.id(), recorder.now(), request.origin(), what));
    }
    return Response.json(200, shape(org(request)));
  }

  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    List<Organization> found =
        organizations.list(
            Rights.of(request.caller()).tenant(), page.after().map(OrgId::new), page.fetch());
    return page.answer(
        "orgs", found, organization -> organization.id().value(), OrganizationEndpoints::shape);
  }

  private Response create(Request request) {
    String name = Members.of(request.json()).requiredLine("name", MAX_NAME);
    Origin origin = request.origin();
    return Response.json(201, shape(createOrganization.run(origin, name)));
  }

  private static JsonObject shape(Organization organization) {
    return JsonObject.builder()
        .put("org_id", organization.id().value())
        .put("name", organization.name())
        .put("created_at", IsoInstant.millis(organization.createdAt()))
        .build();
  }
}

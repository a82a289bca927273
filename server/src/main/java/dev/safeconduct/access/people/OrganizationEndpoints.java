package dev.safeconduct.access.people;

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
import java.util.List;

/** {@code /api/orgs}: list and add organizations; for the admin credential. */
public final class OrganizationEndpoints {
  private static final int MAX_NAME = 100;

  private final Organizations organizations;
  private final CreateOrganization createOrganization;

  public OrganizationEndpoints(Organizations organizations, CreateOrganization createOrganization) {
    this.organizations = organizations;
    this.createOrganization = createOrganization;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/orgs", new Permission.AdminOnly(), this::list),
        Route.post("/api/orgs", new Permission.AdminOnly(), this::create));
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

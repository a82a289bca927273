package dev.safeconduct.simulate.suggest;

import dev.safeconduct.access.Rights;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import java.util.List;
import java.util.function.BiFunction;

/** {@code GET /api/fleet}: the agents by unused privilege, the widest first. */
public final class FleetEndpoint {
  private final UnusedPrivilege privilege;
  private final BiFunction<Rights, String, OrgId> organization;

  /**
   * {@code organization}: returns the organization of a caller, or the named one if the name is not
   * empty and the caller may read it.
   */
  public FleetEndpoint(UnusedPrivilege privilege, BiFunction<Rights, String, OrgId> organization) {
    this.privilege = privilege;
    this.organization = organization;
  }

  public List<Route> routes() {
    return List.of(Route.get("/api/fleet", Permission.scope(Scope.READ_AUDIT), this::list));
  }

  private Response list(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demand(Scope.READ);
    rights.demandUnbound();
    OrgId org = organization.apply(rights, request.query("org_id").orElse(""));
    ListPage page = ListPage.of(request);
    return page.answer(
        "agents",
        privilege.page(org, page.after(), page.fetch()),
        UnusedPrivilege.Row::order,
        UnusedPrivilege.Row::json);
  }
}

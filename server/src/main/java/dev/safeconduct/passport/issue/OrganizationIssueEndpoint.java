package dev.safeconduct.passport.issue;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** {@code POST /api/orgs/{org_id}/issue}: an organization issues passports for its users. */
public final class OrganizationIssueEndpoint {
  private final IssueByOrganization issue;
  private final Directory directory;

  public OrganizationIssueEndpoint(IssueByOrganization issue, Directory directory) {
    this.issue = issue;
    this.directory = directory;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/orgs/{org_id}/issue", Permission.scope(Scope.ISSUE), this::issue));
  }

  private Response issue(Request request) {
    Rights rights = Rights.of(request.caller());
    OrgId org = directory.within(rights, request.pathParam("org_id"));
    rights.demandUnbound();
    Origin origin = request.origin();
    IssueByOrganization.Issued issued = issue.run(origin, org, request.json());
    JsonObject.Builder answer =
        JsonObject.builder()
            .putAll(issued.passport().document())
            .put("claim_email_sent", issued.emailSent());
    if (!issued.warnings().isEmpty()) {
      answer.put("warnings", JsonArray.ofStrings(issued.warnings()));
    }
    return Response.json(201, answer.build())
        .header("Location", "/api/passports/" + issued.passport().agentId());
  }
}

package dev.safeconduct.passport.issue;

import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import java.util.List;
import java.util.function.UnaryOperator;

/** {@code POST /api/passports/{agent_id}/instances}: issues a passport from a template. */
public final class InstanceEndpoints {
  private final IssueInstance issueInstance;
  private final UnaryOperator<JsonObject> plain;

  /**
   * @param plain converts the body form of some clients into the service's own
   */
  public InstanceEndpoints(IssueInstance issueInstance, UnaryOperator<JsonObject> plain) {
    this.issueInstance = issueInstance;
    this.plain = plain;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(
            "/api/passports/{agent_id}/instances",
            new Permission.Scoped(Scope.ISSUE),
            this::issue));
  }

  private Response issue(Request request) {
    Origin origin = request.origin();
    IssuePassport.Issued issued =
        issueInstance.run(
            origin,
            FindPassport.named(request.pathParam("agent_id")),
            plain.apply(request.hasBody() ? request.json() : JsonObject.EMPTY));
    Passport instance = issued.passport();
    JsonObject document = instance.document();
    JsonObject answer =
        issued.warnings().isEmpty()
            ? document
            : document.with("warnings", JsonArray.ofStrings(issued.warnings()));
    // Public clients read the instance under data only.
    return Response.json(201, answer.with("data", document))
        .header("Location", "/api/passports/" + instance.agentId())
        .header("ETag", EntityTag.of(instance.revision()).header());
  }
}

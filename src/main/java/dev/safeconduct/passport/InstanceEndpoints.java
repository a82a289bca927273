package dev.safeconduct.passport;

import dev.safeconduct.audit.Origin;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.function.UnaryOperator;

/** {@code POST /api/passports/{agent_id}/instances}: a passport made of a template. */
public final class InstanceEndpoints {
  private final IssueInstance issueInstance;
  private final UnaryOperator<JsonObject> plain;

  /**
   * Wires the endpoint.
   *
   * @param plain puts a body as some clients send it into our own terms
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
    var origin = new Origin(request.caller(), request.clientAddress(), request.requestId());
    IssuePassport.Issued issued =
        issueInstance.run(
            origin,
            FindPassport.named(request.pathParam("agent_id")),
            plain.apply(request.hasBody() ? request.json() : JsonObject.EMPTY));
    Passport instance = issued.passport();
    JsonObject document = instance.document();
    return Response.json(
            201,
            issued.warnings().isEmpty()
                ? document
                : document.with("warnings", JsonArray.ofStrings(issued.warnings())))
        .header("Location", "/api/passports/" + instance.agentId())
        .header("ETag", EntityTag.of(instance).header());
  }
}

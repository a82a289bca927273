package dev.safeconduct.passport.issue;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.KeyShape;
import dev.safeconduct.access.MintedKey;
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
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.Passport;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code /api/issue} and {@code /api/claim/resend}: endpoints for agents and their authors, without
 * login; and {@code /api/orgs/{org_id}/issue}: an organization issues passports for its users.
 */
public final class IssueEndpoints {
  private final IssueWithoutLogin issue;
  private final ResendClaim resend;
  private final IssueByOrganization byOrganization;
  private final Directory directory;
  private final String baseUrl;

  /**
   * @param baseUrl the service's public address, without a trailing slash
   */
  public IssueEndpoints(
      IssueWithoutLogin issue,
      ResendClaim resend,
      IssueByOrganization byOrganization,
      Directory directory,
      String baseUrl) {
    this.issue = issue;
    this.resend = resend;
    this.byOrganization = byOrganization;
    this.directory = directory;
    this.baseUrl = baseUrl;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/issue", Permission.OPEN, this::issue),
        Route.post("/api/claim/resend", Permission.OPEN, this::resend),
        Route.post(
            "/api/orgs/{org_id}/issue", Permission.scope(Scope.ISSUE), this::issueByOrganization));
  }

  private Response issue(Request request) {
    Origin origin = request.origin();
    IssueWithoutLogin.Issued issued = issue.run(origin, request.json());
    Passport passport = issued.passport();
    String view = baseUrl + "/api/verify/" + passport.agentId();
    JsonObject.Builder answer =
        JsonObject.builder()
            .put("ok", true)
            .put("agent_id", passport.agentId().value())
            .put("passport_id", passport.document().string("passport_id").orElseThrow())
            .put("name", passport.name())
            .put("slug", passport.slug().orElseThrow())
            .put("status", passport.status().wire())
            .put("claimed", false)
            .put("claim_required", true)
            .put("claim_email_sent", issued.emailSent())
            .put("passport_url", view);
    issued.setupKey().ifPresent(key -> add(answer, key));
    var warnings = new ArrayList<>(issued.warnings());
    if (request.header("X-API-Key").or(() -> request.header("Authorization")).isPresent()) {
      warnings.add(
          "The credential is ignored here: the passport has an organization of its own until a"
              + " human claims it. To issue for your organization, use POST /api/passports.");
    }
    if (!warnings.isEmpty()) {
      answer.put("warnings", JsonArray.ofStrings(warnings));
    }
    return Response.json(201, answer.build()).header("Location", view);
  }

  private static void add(JsonObject.Builder answer, MintedKey key) {
    answer
        .put("api_key", key.text())
        .put("api_key_id", key.key().id())
        .put("api_key_scopes", KeyShape.scopes(key.key()));
  }

  private Response resend(Request request) {
    Members body = Members.of(request.json());
    String agent = body.requiredText("agent_id");
    resend.run(request.clientAddress(), agent);
    return Response.json(202, JsonObject.of("ok", true));
  }

  /** Issues a passport for a user of the organization. */
  private Response issueByOrganization(Request request) {
    Rights rights = Rights.of(request.caller());
    OrgId org = directory.within(rights, request.pathParam("org_id"));
    rights.demandUnbound();
    Origin origin = request.origin();
    IssueByOrganization.Issued issued = byOrganization.run(origin, org, request.json());
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

package dev.safeconduct.passport;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Words;
import java.util.List;
import java.util.Optional;

/** Passport lists: the service's own with a cursor, and the list for open clients. */
public final class PassportListEndpoints {
  private static final int MAX_TEXT = 200;
  private static final int MAX_OFFSET = 10_000;
  private static final List<String> SUMMARY =
      Words.list(
          """
          agent_id slug name description role status claimed framework regions capabilities
          created_at assurance_level
          """);

  private final Passports passports;
  private final ActingOrganization organization;

  public PassportListEndpoints(Passports passports, ActingOrganization organization) {
    this.passports = passports;
    this.organization = organization;
  }

  public List<Route> routes() {
    Permission permission = new Permission.Scoped(Scope.LIST_AGENTS);
    return List.of(
        Route.get("/api/passports", permission, this::list),
        Route.get("/api/passports/list", permission, this::listForClients));
  }

  private Response list(Request request) {
    Tenant tenant = tenant(request, request.query("org_id").orElse(""));
    ListPage page = ListPage.of(request);
    List<Passport> found =
        passports.list(tenant, filter(request), page.after().map(AgentId::new), page.fetch());
    return page.answer(
        "passports", found, passport -> passport.agentId().value(), Passport::document);
  }

  private Response listForClients(Request request) {
    Tenant tenant =
        tenant(request, request.query("issued_by").or(() -> request.query("org_id")).orElse(""));
    int limit = number(request, "limit", 1, ListPage.MAX_LIMIT, 50);
    int offset = number(request, "offset", 0, MAX_OFFSET, 0);
    PassportFilter filter = filter(request);
    List<Passport> first = passports.list(tenant, filter, Optional.empty(), offset + limit);
    List<Passport> shown = first.stream().skip(offset).toList();
    return Response.json(
        JsonObject.builder()
            .put("success", true)
            .put("passports", shown, passport -> passport.document().only(SUMMARY))
            .put("total", (double) passports.count(tenant, filter)));
  }

  private Tenant tenant(Request request, String named) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    return new Tenant.One(
        named.isEmpty() ? organization.of(rights) : organization.named(rights, named));
  }

  private static PassportFilter filter(Request request) {
    return new PassportFilter(
        text(request, "status").map(PassportListEndpoints::status),
        text(request, "framework"),
        text(request, "capability"),
        text(request, "q"));
  }

  private static Optional<String> text(Request request, String name) {
    Optional<String> text = request.query(name).filter(value -> !value.isEmpty());
    if (text.isPresent() && text.get().length() > MAX_TEXT) {
      throw ProblemException.invalid(
          name, name + " must have at most " + MAX_TEXT + " characters.");
    }
    return text;
  }

  private static PassportStatus status(String text) {
    return PassportStatus.parse(text)
        .orElseThrow(() ->
            ProblemException.invalid(
                "status", "status must be one of draft, active, suspended, revoked."));
  }

  private static int number(Request request, String name, int min, int max, int otherwise) {
    return request
        .query(name)
        .filter(text -> !text.isEmpty())
        .map(text -> ListPage.number(name, text, min, max))
        .orElse(otherwise);
  }
}

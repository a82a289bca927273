package dev.safeconduct.passport;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code /api/orgs/{org_id}/halt} and {@code /api/admin/halt}: stops all agents of one organization
 * or of all.
 */
public final class HaltEndpoints {
  private static final int MAX_REASON = 500;

  private final Halts halts;
  private final SetHalt setHalt;
  private final Passports passports;
  private final Directory directory;
  private final ActingOrganization organization;

  public HaltEndpoints(
      Halts halts,
      SetHalt setHalt,
      Passports passports,
      Directory directory,
      ActingOrganization organization) {
    this.halts = halts;
    this.setHalt = setHalt;
    this.passports = passports;
    this.directory = directory;
    this.organization = organization;
  }

  public List<Route> routes() {
    String one = "/api/orgs/{org_id}/";
    return List.of(
        Route.get(one + "halt", Permission.ADMINISTRATOR, request -> read(org(request))),
        Route.post(one + "halt", Permission.ADMINISTRATOR, request -> halt(request, org(request))),
        Route.post(
            one + "resume", Permission.ADMINISTRATOR, request -> resume(request, org(request))),
        Route.get("/api/admin/halt", Permission.ADMIN_ONLY, _ -> read(Halt.ALL)),
        Route.post("/api/admin/halt", Permission.ADMIN_ONLY, request -> halt(request, Halt.ALL)),
        Route.post(
            "/api/admin/resume", Permission.ADMIN_ONLY, request -> resume(request, Halt.ALL)));
  }

  private Response read(OrgId org) {
    return Response.json(shape(org));
  }

  private Response halt(Request request, OrgId org) {
    String reason =
        Members.of(request.json()).only(Set.of("reason")).requiredLine("reason", MAX_REASON);
    boolean changed = setHalt.halt(request.origin(), org, log(request, org), reason);
    return Response.json(shape(org).put("changed", changed));
  }

  private Response resume(Request request, OrgId org) {
    Members body =
        Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY)
            .only(org.equals(Halt.ALL) ? Set.of() : Set.of("own"));
    boolean own = body.flag("own").orElse(false);
    boolean changed = setHalt.resume(request.origin(), org, log(request, org), own);
    return Response.json(shape(org).put("changed", changed));
  }

  private OrgId org(Request request) {
    return directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
  }

  private OrgId log(Request request, OrgId org) {
    return org.equals(Halt.ALL) ? organization.of(Rights.of(request.caller())) : org;
  }

  private JsonObject.Builder shape(OrgId org) {
    boolean all = org.equals(Halt.ALL);
    Optional<OrgId> one = all ? Optional.empty() : Optional.of(org);
    JsonObject.Builder shape = JsonObject.builder().put("ok", true);
    one.ifPresent(id -> shape.put("org_id", id.value()));
    shape.put("halted", halts.stopping(org).isPresent());
    one.ifPresent(
        id -> shape.put("halt", shown(id, false)).put("halt_by_operator", shown(id, true)));
    return shape
        .put("halt_of_all", shown(Halt.ALL, true))
        .put("active_agents", passports.active(one));
  }

  private JsonValue shown(OrgId org, boolean byOperator) {
    return halts.of(org).stream()
        .filter(halt -> halt.byOperator() == byOperator)
        .findFirst()
        .<JsonValue>map(stop ->
            JsonObject.builder()
                .put("reason", stop.reason())
                .put("since", IsoInstant.millis(stop.since()))
                .build())
        .orElse(JsonNull.NULL);
  }
}

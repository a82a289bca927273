package dev.safeconduct.passport;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Endpoints for status changes and for the owner's assurance level, which the operator sets. */
public final class StatusEndpoints {
  private static final int MAX_METHOD = 100;

  private final ChangeStatus changeStatus;
  private final BulkStatus bulkStatus;
  private final SetAssurance setAssurance;

  public StatusEndpoints(
      ChangeStatus changeStatus, BulkStatus bulkStatus, SetAssurance setAssurance) {
    this.changeStatus = changeStatus;
    this.bulkStatus = bulkStatus;
    this.setAssurance = setAssurance;
  }

  public List<Route> routes() {
    Permission status = new Permission.Scoped(Scope.STATUS);
    return List.of(
        Route.post("/api/admin/status", status, this::changeNamed),
        Route.post("/api/admin/status/bulk", Permission.ADMIN_ONLY, this::changeMany),
        Route.put("/api/passports/{agent_id}/status", status, this::change),
        Route.post("/api/admin/assurance", new Permission.AdminOnly(), this::assure));
  }

  private Response changeNamed(Request request) {
    return moved(request, StatusBody.read(Members.of(request.json())));
  }

  private Response changeMany(Request request) {
    BulkStatus.Ask ask = BulkStatusBody.read(Members.of(request.json()));
    return Response.json(200, BulkStatusBody.answer(ask, bulkStatus.run(request.origin(), ask)));
  }

  private Response change(Request request) {
    AgentId agent = FindPassport.named(request.pathParam("agent_id"));
    return moved(request, StatusBody.read(Members.of(request.json()), agent));
  }

  private Response moved(Request request, ChangeStatus.Move move) {
    return Response.json(200, StatusBody.answer(changeStatus.run(request.origin(), move)));
  }

  private Response assure(Request request) {
    Members body =
        Members.of(request.json())
            .only(Set.of("agent_id", "assurance_level", "method", "evidence"));
    String agent = body.text("agent_id").orElseThrow(() -> body.missing("agent_id"));
    var finding =
        new SetAssurance.Finding(
            FindPassport.named(agent),
            StatusBody.assuranceLevel(body).orElseThrow(() -> body.missing("assurance_level")),
            body.requiredLine("method", MAX_METHOD),
            body.members("evidence").map(Members::object));
    SetAssurance.Assured assured = setAssurance.run(request.origin(), finding);
    JsonObject before = assured.before().document();
    JsonObject after = assured.after().document();
    return Response.json(
        200,
        JsonObject.builder()
            .put("ok", true)
            .put("agent_id", assured.after().agentId().value())
            .put("assurance_level", finding.level().wire())
            .put("previous_assurance_level", Objects.requireNonNull(before.get("assurance_level")))
            .put("updated_at", Objects.requireNonNull(after.get("updated_at")))
            .put("modified_at", Objects.requireNonNull(after.get("modified_at")))
            .build());
  }
}

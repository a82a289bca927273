package dev.safeconduct.passport;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Endpoints for status changes and for the owner's assurance level, which the operator sets. */
public final class StatusEndpoints {
  private static final int MAX_TEXT = 200;
  private static final Set<String> MEMBERS =
      Set.of("filter", "status", "reason", "dry_run", "expect");

  /** The parts of a filter, in the order of the documentation. */
  private static final List<String> PARTS =
      List.of("org_id", "framework", "capability", "template_id", "agent_ids");

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
    BulkStatus.Ask ask = ask(Members.of(request.json()));
    return Response.json(200, done(ask, bulkStatus.run(request.origin(), ask)));
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
    String agent = body.requiredText("agent_id");
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
        JsonObject.builder()
            .put("ok", true)
            .put("agent_id", assured.after().agentId().value())
            .put("assurance_level", finding.level().wire())
            .put("previous_assurance_level", Objects.requireNonNull(before.get("assurance_level")))
            .put("updated_at", Objects.requireNonNull(after.get("updated_at")))
            .put("modified_at", Objects.requireNonNull(after.get("modified_at"))));
  }

  /** Reads a request that changes many statuses. */
  private static BulkStatus.Ask ask(Members body) {
    body.only(MEMBERS);
    Members parts = body.requiredMembers("filter");
    if (parts.object().names().isEmpty()) {
      throw body.fault(
          "filter", "filter must have at least one of " + String.join(", ", PARTS) + ".");
    }
    BulkFilter filter = filter(parts);
    PassportStatus status = StatusBody.status(body, body.requiredText("status"));
    String reason =
        body.prose("reason", StatusBody.MAX_REASON).orElseThrow(() -> body.missing("reason"));
    if (reason.isEmpty()) {
      throw body.fault("reason", "reason must not be empty.");
    }
    return new BulkStatus.Ask(
        filter, status, reason, body.flag("dry_run").orElse(false), body.line("expect", MAX_TEXT));
  }

  private static BulkFilter filter(Members filter) {
    filter.only(Set.copyOf(PARTS));
    for (String part : PARTS) {
      // A value that somebody failed to fill in must not select more passports.
      if (filter.object().get(part) == JsonNull.NULL) {
        throw filter.fault(part, filter.path(part) + " must not be null; leave it out.");
      }
    }
    return new BulkFilter(
        filter.line("org_id", MAX_TEXT).map(OrgId::new),
        filter.line("framework", MAX_TEXT),
        filter.line("capability", MAX_TEXT),
        filter.line("template_id", MAX_TEXT).map(text -> agent(filter, "template_id", text)),
        filter
            .lines("agent_ids", BulkStatus.MOST, MAX_TEXT)
            .map(ids -> ids.stream().map(text -> agent(filter, "agent_ids", text)).toList()));
  }

  private static AgentId agent(Members filter, String name, String text) {
    return AgentId.hosted(text)
        .orElseThrow(
            () -> filter.fault(name, filter.path(name) + ": \"" + text + "\" is not an agent id."));
  }

  private static JsonObject done(BulkStatus.Ask ask, BulkStatus.Result done) {
    long changed = BulkStatus.changed(done.items());
    return JsonObject.builder()
        .put("ok", true)
        .put("dry_run", ask.dryRun())
        .put("status", ask.next().wire())
        .put("changed", changed)
        .put("skipped", done.items().size() - changed)
        .put("selection", done.selection())
        .put("updated_at", IsoInstant.millis(done.at()))
        .put("passports", done.items(), item -> shape(item, ask.next()))
        .put("webhook", StatusBody.webhook(done.delivery()))
        .build();
  }

  private static JsonValue shape(BulkStatus.Item item, PassportStatus next) {
    JsonObject.Builder shape = JsonObject.builder().put("agent_id", item.agent().value());
    switch (item) {
      case BulkStatus.Item.Changed changed -> describe(shape, changed.before(), next);
      case BulkStatus.Item.Skipped skipped ->
          describe(shape, skipped.passport(), skipped.passport().status());
      case BulkStatus.Item.Missing _ -> {}
    }
    Optional<String> skipped = BulkStatus.skipped(item, next);
    return shape.putIfPresent("skipped", skipped).build();
  }

  private static void describe(JsonObject.Builder shape, Passport passport, PassportStatus status) {
    shape
        .put("name", passport.name())
        .put("org_id", passport.owner().value())
        .put("previous_status", passport.status().wire())
        .put("status", status.wire());
  }
}

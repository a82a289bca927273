package dev.safeconduct.deploy;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** {@code /api/plan}, {@code /api/apply} and {@code /api/resources}: an organization as files. */
public final class DeployEndpoints {
  /** Of one plan: each object is read and compared. */
  private static final int MOST_RESOURCES = 1_500;

  private static final int MOST_DESCRIBED = 10_000;
  private static final int MOST_LABEL = 100;

  private final ApplyResources applyResources;
  private final Deployments deployments;
  private final Effects effects;
  private final ActingOrganization organization;

  /** {@code effects}: what a plan would have changed for recent decisions. */
  public DeployEndpoints(
      ApplyResources applyResources,
      Deployments deployments,
      Effects effects,
      ActingOrganization organization) {
    this.applyResources = applyResources;
    this.deployments = deployments;
    this.effects = effects;
    this.organization = organization;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/resources", Permission.ADMINISTRATOR, this::read).deploy(),
        Route.get("/api/resources/{object_id}", Permission.ADMINISTRATOR, this::label).deploy(),
        Route.post("/api/plan", Permission.ADMINISTRATOR, this::plan).large().deploy(),
        Route.post("/api/apply", Permission.ADMINISTRATOR, this::apply).large().deploy());
  }

  private Response read(Request request) {
    OrgId org = org(request, request.query("organization"));
    demandFew(deployments.count(org));
    demandFew(applyResources.kinds().stream().mapToLong(kind -> kind.count(org)).sum());
    var resources = new ArrayList<JsonValue>();
    List<Managed> managed = deployments.managed(org);
    var planning = ResourceKind.Planning.of(request.origin(), org, managed);
    for (ResourceKind kind : applyResources.kinds()) {
      resources.addAll(kind.describe(planning));
    }
    demandFew(resources.size()); // The count leaves some out, and more may have come since.
    return Response.ok(
        JsonObject.builder()
            .put("org_id", org.value())
            .put("resources", new JsonArray(resources))
            .put("managed", labels(managed)));
  }

  /** Refuses before all are read: each object and each label is read and compared. */
  private static void demandFew(long described) {
    if (described > MOST_DESCRIBED) {
      throw ProblemException.invalid(
          "organization",
          "The organization has more than 10,000 objects, the most here; read them with"
              + " the API of each kind.");
    }
  }

  private Response label(Request request) {
    OrgId org = org(request, request.query("organization"));
    String object = request.pathParam("object_id");
    return Response.ok(
        JsonObject.builder().put("managed", labels(deployments.managed(org, object))));
  }

  private JsonArray labels(List<Managed> managed) {
    var labels = new ArrayList<JsonValue>();
    for (Managed each : managed) {
      applyResources
          .kind(each.target().kind())
          .flatMap(kind -> kind.current(each.org(), each.target().object()))
          .ifPresent(current -> labels.add(label(each, current)));
    }
    return new JsonArray(labels);
  }

  private static JsonObject label(Managed each, JsonObject current) {
    return JsonObject.builder()
        .put("kind", each.target().kind())
        .put("object_id", each.target().object())
        .put("name", each.target().name())
        .put("managed_by", each.owner())
        .putIfPresent("revision", each.revision())
        .put("applied_at", IsoInstant.millis(each.appliedAt()))
        .put("changed_by_hand", JsonArray.ofStrings(each.drift(current)))
        .build();
  }

  private Response plan(Request request) {
    Members body =
        Members.of(request.json())
            .only(Set.of("resources", "organization", "owner", "prune", "take_over", "effects"));
    OrgId org = org(request, body.text("organization"));
    ApplyResources.Files files = files(body);
    ApplyResources.Plan plan = applyResources.plan(request.origin(), org, files);
    JsonObject answer =
        answer(plan)
            .putIfPresent("apply_refused", applyResources.refusal(files, plan))
            .put("applied", false)
            .build();
    return Response.json(
        200,
        body.flag("effects").orElse(false)
            ? answer.with("effects", effects.of(org, plan.changes()))
            : answer);
  }

  private Response apply(Request request) {
    Members body =
        Members.of(request.json())
            .only(
                Set.of(
                    "resources",
                    "organization",
                    "owner",
                    "prune",
                    "take_over",
                    "revision",
                    "expected_state"));
    Optional<String> named = body.text("organization");
    if (request.caller() instanceof Caller.Admin
        && named.isEmpty()
        && request.query("org_id").isEmpty()) {
      throw body.fault(
          "organization", "organization is missing: an operator's token is for all of them.");
    }
    OrgId org = org(request, named);
    ApplyResources.Files files = files(body);
    ApplyResources.Plan plan = applyResources.plan(request.origin(), org, files);
    if (body.text("expected_state").filter(state -> !state.equals(plan.state())).isPresent()) {
      throw Deployments.changed("The organization has changed since the plan");
    }
    boolean applied = applyResources.apply(request.origin(), files, plan);
    return Response.json(answer(plan).put("applied", applied));
  }

  /** Returns the organization: by its id or its name, or the caller's own. */
  private OrgId org(Request request, Optional<String> named) {
    Rights rights = Rights.of(request.caller());
    return named
        .map(text -> organization.called(rights, "organization", text))
        .or(() -> request.query("org_id").map(text -> organization.called(rights, "org_id", text)))
        .orElseGet(() -> organization.of(rights));
  }

  private static ApplyResources.Files files(Members body) {
    JsonArray listed =
        body.array("resources", MOST_RESOURCES).orElseThrow(() -> body.missing("resources"));
    var resources = new ArrayList<Resource>();
    for (JsonValue each : listed) {
      String place = "resources[" + resources.size() + "]";
      Members members = Members.at(place, each);
      String kind = members.requiredText("kind");
      resources.add(new Resource(place, kind, members.object().without("kind")));
    }
    boolean prune = body.flag("prune").orElse(false);
    Optional<String> owner = body.line("owner", MOST_LABEL);
    if (prune && owner.isEmpty()) {
      throw body.fault("owner", "prune needs the label of an owner, whose objects it removes.");
    }
    boolean takeOver = body.flag("take_over").orElse(false);
    if (takeOver && owner.isEmpty()) {
      throw body.fault("owner", "take_over needs the label of an owner, which the objects get.");
    }
    return new ApplyResources.Files(
        resources, owner.orElse(""), body.line("revision", MOST_LABEL), prune, takeOver);
  }

  private static JsonObject.Builder answer(ApplyResources.Plan plan) {
    JsonObject.Builder summary = JsonObject.builder();
    for (ResourceChange.Action action : ResourceChange.Action.values()) {
      summary.put(
          action.name().toLowerCase(Locale.ROOT),
          plan.changes().stream().filter(change -> change.action() == action).count());
    }
    summary.put(
        "warnings",
        plan.changes().stream().filter(change -> !change.shown().warnings().isEmpty()).count());
    return JsonObject.builder()
        .put("org_id", plan.org().value())
        .put("changed", plan.hasChanges())
        .put("state", new JsonString(plan.state()))
        .put("files_digest", plan.digest())
        .put("summary", summary)
        .put("resources", plan.changes(), change -> change.json(plan.label(change.target())))
        .put("ok", true);
  }
}

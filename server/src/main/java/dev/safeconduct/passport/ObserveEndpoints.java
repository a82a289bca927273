package dev.safeconduct.passport;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * {@code /api/passports/{agent_id}/mode} and {@code /api/orgs/{org_id}/mode}: whether decisions are
 * enforced or observed.
 */
public final class ObserveEndpoints {
  private static final int MAX_REASON = 500;
  private static final String MODE = "mode";
  private static final String OBSERVE = "observe";

  private final ObserveModes modes;
  private final SetObserveMode set;
  private final FindPassport passports;
  private final Directory directory;

  public ObserveEndpoints(
      ObserveModes modes, SetObserveMode set, FindPassport passports, Directory directory) {
    this.modes = modes;
    this.set = set;
    this.passports = passports;
    this.directory = directory;
  }

  /** What a path names. */
  private record Target(OrgId org, Optional<AgentId> agent) {}

  public List<Route> routes() {
    String one = "/api/passports/{agent_id}/mode";
    String org = "/api/orgs/{org_id}/mode";
    return List.of(
        Route.get(one, Permission.ADMINISTRATOR, request -> read(agent(request))),
        Route.put(one, Permission.ADMINISTRATOR, request -> begin(request, agent(request))),
        Route.delete(one, Permission.ADMINISTRATOR, request -> end(request, agent(request))),
        Route.get(org, Permission.ADMINISTRATOR, request -> read(org(request))),
        Route.put(org, Permission.ADMINISTRATOR, request -> begin(request, org(request))),
        Route.delete(org, Permission.ADMINISTRATOR, request -> end(request, org(request))));
  }

  private Response read(Target target) {
    return Response.json(shape(target));
  }

  private Response begin(Request request, Target target) {
    Members body =
        Members.of(request.json()).only(Set.of(MODE, "days", "until", "include_money", "reason"));
    String mode = body.requiredText(MODE);
    if (!mode.equals(OBSERVE)) {
      throw ProblemException.invalid(
          MODE, "mode must be observe; to enforce again, delete the mode.");
    }
    set.begin(
        request.origin(),
        new SetObserveMode.Asked(
            target.org(),
            target.agent(),
            until(body),
            body.flag("include_money").orElse(false),
            body.requiredLine("reason", MAX_REASON)));
    return read(target);
  }

  private Instant until(Members body) {
    Instant now = set.now();
    OptionalLong days = body.whole("days", 1, ObserveMode.MOST.toDays());
    Optional<Instant> named = body.instant("until");
    if (days.isPresent() == named.isPresent()) {
      throw ProblemException.invalid("days", "Send either days or until.");
    }
    if (days.isPresent()) {
      return now.plus(Duration.ofDays(days.getAsLong()));
    }
    Instant until = named.get();
    if (!now.isBefore(until) || until.isAfter(now.plus(ObserveMode.MOST))) {
      throw ProblemException.invalid("until", "until must be within the next 30 days.");
    }
    return until;
  }

  private Response end(Request request, Target target) {
    boolean changed = set.end(request.origin(), target.org(), target.agent());
    return Response.json(shape(target).put("changed", changed));
  }

  private Target agent(Request request) {
    Passport passport =
        passports.run(request.caller(), FindPassport.named(request.pathParam("agent_id")));
    return new Target(passport.owner(), Optional.of(passport.agentId()));
  }

  private Target org(Request request) {
    return new Target(
        directory.within(Rights.of(request.caller()), request.pathParam("org_id")),
        Optional.empty());
  }

  private JsonObject.Builder shape(Target target) {
    Instant now = set.now();
    Optional<ObserveMode> own =
        modes.find(target.org(), target.agent()).filter(mode -> mode.applies(now));
    Optional<ObserveMode> org =
        modes.find(target.org(), Optional.empty()).filter(mode -> mode.applies(now));
    JsonObject.Builder shape =
        JsonObject.builder().put("ok", true).put("org_id", target.org().value());
    target.agent().ifPresent(agent -> shape.put("agent_id", agent.value()));
    shape.put(MODE, own.or(() -> org).isPresent() ? OBSERVE : "enforce");
    shape.put(OBSERVE, shown(own));
    target.agent().ifPresent(_ -> shape.put("observe_of_organization", shown(org)));
    return shape;
  }

  private static JsonValue shown(Optional<ObserveMode> mode) {
    return mode.<JsonValue>map(set ->
            JsonObject.builder()
                .put("until", IsoInstant.millis(set.until()))
                .put("include_money", set.money())
                .put("reason", set.reason())
                .put("by", set.by())
                .put("since", IsoInstant.millis(set.since()))
                .build())
        .orElse(JsonNull.NULL);
  }
}

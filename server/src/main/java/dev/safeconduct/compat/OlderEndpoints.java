package dev.safeconduct.compat;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.compat.AliasEndpoint.Asked;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The older addresses that public clients still use. Each is an alias of a current route with the
 * same credential and the same use case.
 */
public final class OlderEndpoints {
  private static final String SVG = ".svg";

  private final List<Route> targets;
  private final Passports passports;
  private final Halts halts;
  private final InstantSource clock;

  /** {@code targets}: all current routes that may have an older address. */
  public OlderEndpoints(
      List<Route> targets, Passports passports, Halts halts, InstantSource clock) {
    this.targets = List.copyOf(targets);
    this.passports = passports;
    this.halts = halts;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        alias(
            "/api/verify",
            "GET /api/verify/{agent_id}",
            request -> Asked.of(Map.of("agent_id", agent(request)))),
        Route.get("/api/verify-compact", Permission.OPEN, this::compact),
        Route.get("/badge/{badge}", Permission.OPEN, this::badge),
        alias(
            "/v1/decide",
            "POST /api/verify/policy/{policy_id}",
            request ->
                moved(request, "policy_id", OlderBodies::decide)
                    .calling(OlderBodies.used(request.json(), OlderBodies.OF_DECIDE))),
        decisions(),
        AliasEndpoint.of(
            "/api/suspend",
            target("POST /api/admin/status"),
            request -> Asked.of(Map.of(), OlderBodies.suspend(request.json())),
            answer -> answer.with("success", JsonBoolean.TRUE)),
        alias(
                "/api/admin/create",
                "POST /api/passports",
                request ->
                    Asked.of(Map.of(), OlderBodies.newPassport(request.json()))
                        .calling(OlderBodies.used(request.json(), OlderBodies.OF_NEW_PASSPORT)))
            .with(Permission.ADMIN_ONLY),
        alias(
                "/api/admin/update",
                "PATCH /api/passports/{agent_id}",
                request -> moved(request, "agent_id", OlderBodies::passport))
            .with(Permission.ADMIN_ONLY),
        AliasEndpoint.of(
                "/api/admin/agents",
                target("GET /api/passports/list"),
                _ -> Asked.of(Map.of()),
                answer ->
                    JsonObject.builder()
                        .put("agents", Objects.requireNonNull(answer.get("passports")))
                        .put("total", Objects.requireNonNull(answer.get("total")))
                        .put("ok", true)
                        .build())
            .with(Permission.ADMIN_ONLY),
        alias(
            "/webhooks/test",
            "POST /api/admin/webhook-test",
            request ->
                Asked.of(Map.of(), OlderBodies.webhookTest(request.json()))
                    .calling(OlderBodies.used(request.json(), OlderBodies.OF_WEBHOOK_TEST))));
  }

  private Route alias(String path, String target, Function<Request, Asked> ask) {
    return AliasEndpoint.of(path, target(target), ask, answer -> answer);
  }

  private Response compact(Request request) {
    Passport passport = passport(agent(request));
    JsonObject document = passport.document();
    return Response.json(
            JsonObject.builder()
                .put("agent_id", passport.agentId().value())
                .put("status", status(passport).wire())
                .putIfPresent("expires_at", document.string("expires_at"))
                .put("expired", passport.isExpired(clock.instant()))
                .put("role", document.text("role")))
        .header("Cache-Control", "no-cache");
  }

  /**
   * An agent of a halted organization may not act, nor an instance of a template that is not
   * active: their callers read them as suspended.
   */
  private PassportStatus status(Passport passport) {
    return passport.status() == PassportStatus.ACTIVE
            && (halts.stopping(passport.owner()).isPresent() || !hasActiveTemplates(passport))
        ? PassportStatus.SUSPENDED
        : passport.status();
  }

  private boolean hasActiveTemplates(Passport passport) {
    JudgedPassport below = JudgedPassport.of(passport.document());
    for (int templates = 0; below.isInstance(); templates++) {
      Optional<Passport> above =
          below
              .parent()
              .flatMap(AgentId::hosted)
              .flatMap(passports::find)
              .filter(template -> template.owner().equals(passport.owner()))
              .filter(template -> template.status() == PassportStatus.ACTIVE);
      if (above.isEmpty() || templates == Passport.MOST_TEMPLATES) {
        return false;
      }
      below = JudgedPassport.of(above.get().document());
    }
    return true;
  }

  private Response badge(Request request) {
    String file = request.pathParam("badge");
    Passport passport =
        passport(file.endsWith(SVG) ? file.substring(0, file.length() - SVG.length()) : file);
    String level = passport.document().string("assurance_level").orElse("L0");
    boolean expired = passport.isExpired(clock.instant());
    byte[] svg = svg(status(passport), expired, level).getBytes(StandardCharsets.UTF_8);
    return Response.bytes(200, "image/svg+xml", svg)
        .header("Cache-Control", "no-cache")
        .header("Content-Security-Policy", "default-src 'none'");
  }

  private Route decisions() {
    Route route =
        AliasEndpoint.of(
            "/api/verify/decisions/{agent_id}",
            target("GET /api/audit"),
            request ->
                Asked.of(Map.of("kind", "decision", "agent_id", request.pathParam("agent_id"))),
            OlderEndpoints::decided);
    return Route.get(
        route.path(),
        route.permission(),
        request -> {
          demandKnown(request);
          return route.endpoint().handle(request);
        });
  }

  /** Demands a known agent, because an empty list would imply that the agent exists. */
  private void demandKnown(Request request) {
    String id = request.pathParam("agent_id");
    AgentId agent = AgentId.hosted(id).orElseThrow(() -> NotFoundProblems.passport(id));
    new FindPassport(passports).run(request.caller(), agent);
  }

  private static JsonObject decided(JsonObject answer) {
    var decisions = new ArrayList<JsonValue>();
    for (JsonValue record : answer.list("records").elements()) {
      if (record instanceof JsonObject object) {
        decisions.add(
            object.child("body").toBuilder()
                .put(
                    DecisionJson.LOG_INDEX,
                    Objects.requireNonNull(object.get(DecisionJson.LOG_INDEX)))
                .put(DecisionJson.SIGNATURE, object.text(DecisionJson.SIGNATURE))
                .build());
      }
    }
    return JsonObject.builder()
        .put("decisions", new JsonArray(decisions))
        .put("next_cursor", Objects.requireNonNull(answer.get("next_cursor")))
        .put("ok", true)
        .build();
  }

  /** Moves a body member of the older address to the path of the current one. */
  private static Asked moved(Request request, String name, UnaryOperator<JsonObject> rest) {
    Members body = Members.of(request.json());
    String value = body.requiredText(name);
    return Asked.of(Map.of(name, value), rest.apply(body.object()));
  }

  private static String agent(Request request) {
    return request
        .query("agent_id")
        .filter(id -> !id.isEmpty())
        .orElseThrow(
            () -> ProblemException.invalid("agent_id", "agent_id is missing; send ?agent_id=ap_…"));
  }

  private Passport passport(String id) {
    return AgentId.hosted(id)
        .flatMap(passports::find)
        .orElseThrow(() -> NotFoundProblems.passport(id));
  }

  private Route target(String route) {
    return targets.stream()
        .filter(known -> route.equals(known.method() + " " + known.path()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no route " + route));
  }

  /** An image of a passport's status for README files. It contains no text from the owner. */
  private static String svg(PassportStatus status, boolean expired, String level) {
    boolean over = expired && status == PassportStatus.ACTIVE;
    String says = (over ? "expired" : status.wire()) + " " + level;
    String whole = "agent passport: " + says;
    int right = 16 + 7 * says.length();
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s">\
    <title>%s</title>\
    <rect width="%d" height="20" rx="3" fill="#3a3f47"/>\
    <rect x="98" width="%d" height="20" rx="3" fill="%s"/>\
    <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\
    <text x="8" y="14">agent passport</text><text x="106" y="14">%s</text></g></svg>
    """
        .formatted(
            98 + right, whole, whole, 98 + right, right, over ? "#9a6700" : color(status), says);
  }

  /** White text on each of them has a contrast of 4.5 and more (WCAG 2.2, 1.4.3). */
  private static String color(PassportStatus status) {
    return switch (status) {
      case ACTIVE -> "#1a7f37";
      case DRAFT -> "#57606a";
      case SUSPENDED -> "#9a6700";
      case REVOKED -> "#cf222e";
    };
  }
}

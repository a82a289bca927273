package dev.safeconduct.verify;

import dev.safeconduct.compat.ShortDecision;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.RawMember;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.usage.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code POST /api/verify/policy/{policy_id}}: may this agent do this, now? */
public final class VerifyEndpoint {
  private static final int MAX_KEY_LENGTH = 256;

  private final VerifyAction action;
  private final DecisionProofs proofs;
  private final String baseUrl;

  /**
   * @param baseUrl the service's own address
   */
  public VerifyEndpoint(VerifyAction action, DecisionProofs proofs, String baseUrl) {
    this.action = action;
    this.baseUrl = baseUrl;
    this.proofs = proofs;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(
                "/api/verify/policy/{policy_id}",
                new Permission.ScopedOrAnonymous(Scope.READ),
                this::verify)
            .large()
            .verify());
  }

  private Response verify(Request request) {
    JsonObject body = request.json();
    VerifyRequest question = parse(request, body);
    boolean proved = !(request.caller() instanceof Caller.Anonymous) && flag(request, "proof");
    Verified verified = action.run(question, request.timing());
    Response response =
        Response.bytes(200, "application/json", encoded(request, body, question, verified, proved));
    if (question.reserve() && verified.decision().allow()) {
      response = response.header("Reservation-Id", Reservation.id(verified.decision().id()));
    }
    return verified.replayed() ? response.header("Idempotent-Replayed", "true") : response;
  }

  private byte[] encoded(
      Request request, JsonObject body, VerifyRequest question, Verified verified, boolean proved) {
    if (ShortDecision.wanted(request.header("User-Agent"), body)) {
      SignedDecision decision = verified.decision();
      return dev.safeconduct.json.Json.bytes(
          ShortDecision.of(decision.document(), VerifyAnswer.signature(decision)));
    }
    if (request.header("Prefer").filter(prefer -> prefer.contains("return=minimal")).isPresent()) {
      return VerifyAnswer.minimal(verified.decision());
    }
    return VerifyAnswer.full(
        verified, question, proved ? proofs.of(verified.decision()) : null, baseUrl);
  }

  /** The question as the body and the address put it. */
  static VerifyRequest parse(Request request, JsonObject body) {
    JsonObject context =
        body.object("context")
            .orElseThrow(() ->
                Problem.invalid("context", "context must be an object that holds the action.")
                    .toException());
    Optional<JsonObject> passport = object(body, "passport");
    Optional<JsonObject> policy = object(body, "policy");
    refuseToSetupKey(request.caller(), body);
    boolean anonymous = request.caller() instanceof Caller.Anonymous;
    boolean admin = request.caller() instanceof Caller.Admin;
    var agentIds = new ArrayList<String>();
    text(body, "agent_id", "agent_id").ifPresent(agentIds::add);
    text(context, "agent_id", "context.agent_id").ifPresent(agentIds::add);
    return new VerifyRequest(
        request.caller(),
        request.pathParam("policy_id"),
        agentIds,
        context,
        Optional.empty(),
        passport,
        policy,
        anonymous ? Optional.empty() : idempotencyKey(request, body),
        body,
        admin ? org(request, body) : Optional.empty(),
        !anonymous && flag(request, "explain"),
        flag(request, "dry_run"),
        reserve(request),
        Optional.of(approval(request, body)),
        request.requestId(),
        request.clientAddress());
  }

  private static void refuseToSetupKey(Caller caller, JsonObject body) {
    if (caller instanceof Caller.Key key && key.boundTo().isPresent()) {
      for (String name : List.of("passport", "policy")) {
        if (body.present(name) != null) {
          throw new Problem.Forbidden(
                  "A setup key speaks for one hosted passport and may not send " + name + ".")
              .toException();
        }
      }
    }
  }

  private static Optional<OrgId> org(Request request, JsonObject body) {
    return text(body, "org_id", "org_id")
        .or(() -> request.query("org_id"))
        .map(id -> {
          if (id.isEmpty() || id.length() > 128) {
            throw Problem.invalid("org_id", "org_id must have 1 to 128 characters.").toException();
          }
          return new OrgId(id);
        });
  }

  private static Optional<String> idempotencyKey(Request request, JsonObject body) {
    Optional<String> key =
        request
            .header("Idempotency-Key")
            .or(() -> text(body, "idempotency_key", "idempotency_key"));
    if (key.filter(text -> text.isEmpty() || text.length() > MAX_KEY_LENGTH).isPresent()) {
      throw Problem.invalid(
              "idempotency_key",
              "An idempotency key must have 1 to " + MAX_KEY_LENGTH + " characters.")
          .toException();
    }
    return key;
  }

  private static ApprovalAsk approval(Request request, JsonObject body) {
    return new ApprovalAsk(
        () -> RawMember.of(request.body(), "context").orElseThrow(),
        text(body, "approval_id", "approval_id"));
  }

  /** Whoever reserves must be able to say who may release. */
  private static boolean reserve(Request request) {
    if (!flag(request, "reserve")) {
      return false;
    }
    if (flag(request, "dry_run")) {
      throw Problem.invalid("reserve", "A dry run takes no charges, so it has nothing to reserve.")
          .toException();
    }
    if (request.caller() instanceof Caller.Anonymous) {
      throw new Problem.Forbidden("reserve needs a credential, whose organization may release.")
          .toException();
    }
    return true;
  }

  private static boolean flag(Request request, String name) {
    Optional<String> value = request.query(name);
    return switch (value.orElse("false")) {
      case "true", "1", "" -> true;
      case "false", "0" -> false;
      default -> throw Problem.invalid(name, name + " must be true or false.").toException();
    };
  }

  private static Optional<JsonObject> object(JsonObject body, String name) {
    JsonValue value = body.present(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonObject object) {
      return Optional.of(object);
    }
    throw Problem.invalid(name, name + " must be an object.").toException();
  }

  private static Optional<String> text(JsonObject from, String name, String path) {
    JsonValue value = from.present(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonString text) {
      return Optional.of(text.value());
    }
    throw Problem.invalid(path, path + " must be a string.").toException();
  }
}

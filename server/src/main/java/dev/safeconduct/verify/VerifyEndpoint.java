package dev.safeconduct.verify;

import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.InclusionProof;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.compat.ShortDecision;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** {@code POST /api/verify/policy/{policy_id}}: decides whether an agent may do an action now. */
public final class VerifyEndpoint {
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
    VerifyResult result = action.run(question, request.timing());
    Response response =
        withDecision(Response.json(200, encoded(request, body, question, result, proved)), result);
    if (question.reserve() && result.decision().allow()) {
      response = response.header("Reservation-Id", Reservation.id(result.decision().id()));
    }
    return result.replayed() ? response.header("Idempotent-Replayed", "true") : response;
  }

  /** Adds the decision as headers, for programs without a JSON parser. */
  private Response withDecision(Response response, VerifyResult result) {
    Decision decision = result.decision();
    Response named =
        response
            .header("Safeconduct-Allow", Boolean.toString(decision.allow()))
            .header("Safeconduct-Decision-Id", decision.id().toString());
    if (!decision.allow()) {
      Decision.Reason reason = decision.reason();
      named = named.textHeader("Safeconduct-Reason", reason.code() + ": " + reason.message());
    }
    if (result.approval().isPresent()) {
      String id = result.approval().get().id();
      named =
          named
              .header("Safeconduct-Approval-Id", id)
              .header("Safeconduct-Approval-Link", baseUrl + "/console/approvals/" + id);
    }
    return named;
  }

  private JsonWriter encoded(
      Request request,
      JsonObject body,
      VerifyRequest question,
      VerifyResult result,
      boolean proved) {
    if (ShortDecision.wanted(request.header("User-Agent"), body)) {
      SignedDecision signed = result.signed();
      return JsonWriter.inOrder()
          .value(ShortDecision.of(signed.document(), signed.signatureText()));
    }
    if (prefersMinimal(request)) {
      return VerifyAnswer.minimal(result.signed());
    }
    return VerifyAnswer.full(
        result, question, proved ? proofs.of(result.decision().id()) : null, baseUrl);
  }

  static boolean prefersMinimal(Request request) {
    return request.header("Prefer").filter(prefer -> prefer.contains("return=minimal")).isPresent();
  }

  /** Parses the verify request from the body and the path. */
  public static VerifyRequest parse(Request request, JsonObject body) {
    return options(request).question(request.pathParam("policy_id"), Members.of(body));
  }

  /** Parses the parts of the request outside its body. */
  static RequestOptions options(Request request) {
    return new RequestOptions(
        request.caller(),
        request.header("Idempotency-Key"),
        request.query("org_id"),
        new VerifyRequest.Options(
            !(request.caller() instanceof Caller.Anonymous) && flag(request, "explain"),
            flag(request, "dry_run"),
            reserve(request),
            Optional.empty()),
        request.requestId(),
        request.clientAddress());
  }

  /** Whether to reserve. A reservation needs a credential, which determines who may release it. */
  private static boolean reserve(Request request) {
    if (!flag(request, "reserve")) {
      return false;
    }
    if (flag(request, "dry_run")) {
      throw ProblemException.invalid(
          "reserve", "A dry run takes no charges, so it has nothing to reserve.");
    }
    if (request.caller() instanceof Caller.Anonymous) {
      throw ProblemException.forbidden(
          "reserve needs a credential, whose organization may release.");
    }
    return true;
  }

  static boolean flag(Request request, String name) {
    Optional<String> value = request.query(name);
    return switch (value.orElse("false")) {
      case "true", "1", "" -> true;
      case "false", "0" -> false;
      default -> throw ProblemException.invalid(name, name + " must be true or false.");
    };
  }

  /** Creates proofs that a new decision is in the log, for callers who request one. */
  public record DecisionProofs(AuditLog records, MerkleLog log, Checkpoints checkpoints) {
    /** The proof as C2SP tlog-proof. */
    String of(UUID id) {
      return records
          .find(new Tenant.Everyone(), id)
          .map(record -> InclusionProof.of(record, log, checkpoints).tlogProof())
          .orElseThrow(() -> new IllegalStateException("a decision just recorded is not there"));
    }
  }
}

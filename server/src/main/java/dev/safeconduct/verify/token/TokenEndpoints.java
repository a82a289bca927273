package dev.safeconduct.verify.token;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.compat.ShortDecision;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.verify.Reservation;
import dev.safeconduct.verify.SignedDecision;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyAnswer;
import dev.safeconduct.verify.VerifyEndpoint;
import dev.safeconduct.verify.VerifyRequest;
import dev.safeconduct.verify.VerifyResult;
import java.util.List;

/** The endpoints that issue decision tokens for offline use, and check tokens. */
public final class TokenEndpoints {
  private final VerifyAction action;
  private final DecisionTokens tokens;
  private final String baseUrl;

  /**
   * @param baseUrl the service's own address
   */
  public TokenEndpoints(VerifyAction action, DecisionTokens tokens, String baseUrl) {
    this.action = action;
    this.tokens = tokens;
    this.baseUrl = baseUrl;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/verify/token/{policy_id}", new Permission.Scoped(Scope.READ), this::issue)
            .large()
            .verify(),
        Route.post("/api/verify/token/validate", Permission.OPEN, this::validate));
  }

  private Response issue(Request request) {
    VerifyRequest question = VerifyEndpoint.parse(request, request.json());
    VerifyResult result = action.run(question, request.timing());
    JsonObject.Builder answer = JsonObject.builder();
    switch (tokens.make(result, question)) {
      case DecisionTokens.Made.Token(String text) -> answer.put("token", text);
      case DecisionTokens.Made.None(String why) -> answer.putNull("token").put("reason", why);
    }
    SignedDecision signed = result.signed();
    Decision decision = result.decision();
    answer.put(
        "decision",
        signed.document().toBuilder()
            .put(DecisionJson.LOG_INDEX, signed.logIndex())
            .put(DecisionJson.SIGNATURE, signed.signatureText())
            .build());
    boolean reserved = question.reserve() && decision.allow();
    if (reserved) {
      answer
          .put("reservation_id", Reservation.id(decision.id()))
          .put("reservation_expires_at", IsoInstant.millis(Reservation.until(decision)));
    }
    result
        .approval()
        .ifPresent(waits -> answer.put("approval", VerifyAnswer.approval(waits, baseUrl)));
    Response response = Response.json(200, answer.build());
    if (reserved) {
      response = response.header("Reservation-Id", Reservation.id(decision.id()));
    }
    return result.replayed() ? response.header("Idempotent-Replayed", "true") : response;
  }

  private Response validate(Request request) {
    Members body = Members.of(request.json());
    DecisionTokens.Checked checked = tokens.check(body.requiredText("token"));
    JsonObject decision = checked.valid() ? good(checked) : refused(checked);
    return Response.json(
        JsonObject.builder()
            .put("valid", checked.valid())
            .put(
                "decision",
                ShortDecision.isSpokenBy(request.header("User-Agent"))
                    ? ShortDecision.of(decision, decision.text(DecisionJson.SIGNATURE))
                    : decision)
            .put("reason", checked.reason()));
  }

  /** Returns the token's claims under the names of a decision's members. */
  private static JsonObject good(DecisionTokens.Checked checked) {
    return checked.claims().orElseThrow().toBuilder()
        .put(DecisionJson.EXPIRES_IN, checked.secondsLeft())
        .put(DecisionJson.REASONS, reasons(ReasonCode.ALLOWED, "The token is good.", true))
        .build();
  }

  /** Returns a denying decision, because some clients read nothing else. */
  private static JsonObject refused(DecisionTokens.Checked checked) {
    String id =
        checked.claims().flatMap(claims -> claims.string(DecisionJson.DECISION_ID)).orElse("");
    return JsonObject.builder()
        .put(DecisionJson.DECISION_ID, id)
        .put(DecisionJson.ALLOW, false)
        .put(DecisionJson.EXPIRES_IN, 0)
        .put(
            DecisionJson.REASONS,
            reasons(
                ReasonCode.INVALID_TOKEN,
                "The token is not valid: " + checked.reason() + ".",
                false))
        .build();
  }

  private static JsonArray reasons(ReasonCode code, String message, boolean allow) {
    return JsonArray.of(
        JsonObject.builder()
            .put(DecisionJson.CODE, code.wire())
            .put(DecisionJson.MESSAGE, message)
            .put(DecisionJson.SEVERITY, DecisionJson.severity(allow))
            .build());
  }
}

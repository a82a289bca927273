package dev.safeconduct.verify;

import dev.safeconduct.compat.ShortDecision;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.usage.Reservation;
import java.util.List;

/** Decisions as tokens that can be checked offline, and what a token is worth now. */
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
    Verified verified = action.run(question, request.timing());
    JsonObject.Builder answer = JsonObject.builder();
    switch (tokens.make(verified, question)) {
      case DecisionTokens.Made.Token(String text) -> answer.put("token", text);
      case DecisionTokens.Made.None(String why) -> answer.putNull("token").put("reason", why);
    }
    SignedDecision decision = verified.decision();
    answer.put(
        "decision",
        decision.document().toBuilder()
            .put("log_index", decision.logIndex())
            .put("signature", VerifyAnswer.signature(decision))
            .build());
    boolean reserved = question.reserve() && decision.allow();
    if (reserved) {
      answer
          .put("reservation_id", Reservation.id(decision.id()))
          .put("reservation_expires_at", IsoInstant.millis(ReservedCharges.until(decision)));
    }
    verified
        .approval()
        .ifPresent(waits -> answer.put("approval", VerifyAnswer.approval(waits, baseUrl)));
    Response response = Response.json(200, answer.build());
    if (reserved) {
      response = response.header("Reservation-Id", Reservation.id(decision.id()));
    }
    return verified.replayed() ? response.header("Idempotent-Replayed", "true") : response;
  }

  private Response validate(Request request) {
    Members body = Members.of(request.json());
    DecisionTokens.Checked checked =
        tokens.check(body.text("token").orElseThrow(() -> body.missing("token")));
    JsonObject decision = checked.valid() ? good(checked) : refused(checked);
    return Response.json(
        200,
        JsonObject.builder()
            .put("valid", checked.valid())
            .put(
                "decision",
                ShortDecision.isSpokenBy(request.header("User-Agent"))
                    ? ShortDecision.of(decision, decision.string("signature").orElse(""))
                    : decision)
            .put("reason", checked.reason())
            .build());
  }

  /** What the token says of the decision, in the names of a decision. */
  private static JsonObject good(DecisionTokens.Checked checked) {
    return checked.claims().orElseThrow().toBuilder()
        .put("expires_in", checked.secondsLeft())
        .put("reasons", reasons("oap.allowed", "The token is good.", "info"))
        .build();
  }

  /** A decision that denies: some clients look at nothing else. */
  private static JsonObject refused(DecisionTokens.Checked checked) {
    String id = checked.claims().flatMap(claims -> claims.string("decision_id")).orElse("");
    return JsonObject.builder()
        .put("decision_id", id)
        .put("allow", false)
        .put("expires_in", 0)
        .put(
            "reasons",
            reasons(
                "oap.invalid_token", "The token is no good: " + checked.reason() + ".", "error"))
        .build();
  }

  private static JsonArray reasons(String code, String message, String severity) {
    return JsonArray.of(
        JsonObject.builder()
            .put("code", code)
            .put("message", message)
            .put("severity", severity)
            .build());
  }
}

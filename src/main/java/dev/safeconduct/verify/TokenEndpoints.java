package dev.safeconduct.verify;

import dev.safeconduct.access.DecisionTokens;
import dev.safeconduct.compat.ShortDecision;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * {@code /api/verify/token/…}: an allow as a token that another party may check, by the key set or
 * here, for the 30 seconds at most that an allow may be cached.
 */
public final class TokenEndpoints {
  private final VerifyAction action;
  private final SubjectResolver subjects;
  private final DecisionTokens tokens;
  private final InstantSource clock;

  public TokenEndpoints(
      VerifyAction action, SubjectResolver subjects, DecisionTokens tokens, InstantSource clock) {
    this.action = action;
    this.subjects = subjects;
    this.tokens = tokens;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/verify/token/{policy_id}", new Permission.Scoped(Scope.READ), this::issue)
            .large()
            .verify(),
        Route.post("/api/verify/token/validate", Permission.OPEN, this::validate).verify());
  }

  private Response issue(Request request) {
    VerifyRequest question = VerifyEndpoint.parse(request, request.json());
    SignedDecision decision = action.run(question, request.timing()::mark).decision();
    Optional<String> token = token(decision);
    JsonValue text = token.<JsonValue>map(JsonString::new).orElse(JsonNull.NULL);
    return Response.json(
        200,
        JsonObject.builder()
            .put("token", text)
            .put("decision", signed(decision))
            .put("reason", token.isPresent() ? decision.reason() : why(decision))
            .build());
  }

  /** A token lives as long as the allow may be cached; what may not be cached gets none. */
  private Optional<String> token(SignedDecision decision) {
    JsonObject document = decision.document();
    long seconds =
        document.get("expires_in") instanceof JsonNumber(double value) ? (long) value : 0;
    Instant expires = decision.issuedAt().plusSeconds(seconds);
    if (!decision.allow() || seconds == 0 || !clock.instant().isBefore(expires)) {
      return Optional.empty();
    }
    JsonObject claims =
        JsonObject.builder()
            .put("sub", document.string("agent_id").orElseThrow())
            .put("jti", decision.id().toString())
            .put("policy_id", document.string("policy_id").orElseThrow())
            .put("context_digest", document.string("context_digest").orElseThrow())
            .put("decision", signed(decision))
            .build();
    return Optional.of(tokens.make(claims, decision.issuedAt(), expires));
  }

  private static String why(SignedDecision decision) {
    return decision.allow()
        ? "Allowed this once: what is counted, reserved or a dry run gets no token."
        : decision.reason();
  }

  private static JsonObject signed(SignedDecision decision) {
    return decision.document().toBuilder()
        .put("log_index", decision.logIndex())
        .put("signature", VerifyAnswer.signature(decision))
        .build();
  }

  private Response validate(Request request) {
    Members body = Members.of(request.json());
    String token = body.text("token").orElseThrow(() -> body.missing("token"));
    Optional<DecisionTokens.Opened> opened = tokens.open(token);
    if (opened.isEmpty()) {
      return invalid("", "The token is none of this service's, or was altered.");
    }
    JsonObject claims = opened.get().claims();
    JsonObject decision = claims.object("decision").orElse(JsonObject.EMPTY);
    String id = claims.string("jti").orElse("");
    if (opened.get().expired()) {
      return invalid(id, "The token has expired; ask for a decision again.");
    }
    boolean hosted = decision.string("passport_source").filter("registry"::equals).isPresent();
    if (hosted && !isActive(decision)) {
      return invalid(id, "The passport is no longer active.");
    }
    boolean shortForm = ShortDecision.isSpokenBy(request.header("User-Agent"));
    return Response.json(
        200,
        JsonObject.builder()
            .put("valid", true)
            .put(
                "decision",
                shortForm
                    ? ShortDecision.of(decision, decision.string("signature").orElse(""))
                    : decision)
            .put("reason", "The token is good and its passport active.")
            .build());
  }

  private boolean isActive(JsonObject decision) {
    return decision
        .string("agent_id")
        .flatMap(AgentId::hosted)
        .filter(subjects::isActive)
        .isPresent();
  }

  /** With a decision that denies: some clients look at nothing else. */
  private static Response invalid(String id, String why) {
    JsonObject reason =
        JsonObject.builder()
            .put("code", "oap.invalid_token")
            .put("message", why)
            .put("severity", "error")
            .build();
    return Response.json(
        200,
        JsonObject.builder()
            .put("valid", false)
            .put(
                "decision",
                JsonObject.builder()
                    .put("decision_id", id)
                    .put("allow", false)
                    .put("reasons", JsonArray.of(reason))
                    .put("expires_in", 0)
                    .build())
            .put("reason", why)
            .build());
  }
}

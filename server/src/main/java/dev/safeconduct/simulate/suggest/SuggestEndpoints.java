package dev.safeconduct.simulate.suggest;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.Passport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;

/** {@code POST /api/passports/{agent_id}/suggest}: a narrower passport from recorded decisions. */
public final class SuggestEndpoints {
  /** The period if the request names no start. */
  public static final Duration USUAL = Duration.ofDays(30);

  /** The command has no such limit. */
  private static final long MOST_DECISIONS = 50_000;

  private static final int RETRY_SECONDS = 5;

  private final FindPassport findPassport;
  private final Suggest suggest;
  private final InstantSource clock;

  /** One at a time, so that decisions have the other processors and connections. */
  private final Semaphore turn = new Semaphore(1);

  public SuggestEndpoints(FindPassport findPassport, Suggest suggest, InstantSource clock) {
    this.findPassport = findPassport;
    this.suggest = suggest;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(
            "/api/passports/{agent_id}/suggest",
            Permission.scope(Scope.READ_AUDIT),
            this::suggest));
  }

  private Response suggest(Request request) {
    Rights.of(request.caller()).demand(Scope.READ);
    Passport passport =
        findPassport.run(request.caller(), FindPassport.named(request.pathParam("agent_id")));
    Members body =
        Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY)
            .only(Set.of("from", "to", "include_denied"));
    // The end is exclusive: with the decisions of this millisecond.
    Instant to = body.instant("to").orElseGet(() -> clock.instant().plusMillis(1));
    Instant from = body.instant("from").orElseGet(() -> to.minus(USUAL));
    if (!from.isBefore(to)) {
      throw body.fault("from", "from must be before to.");
    }
    Suggest.Denied denied =
        body.text("include_denied")
            .map(text ->
                Suggest.Denied.parse(text)
                    .orElseThrow(() ->
                        body.fault(
                            "include_denied", "include_denied must be none, approved or all.")))
            .orElse(Suggest.Denied.NONE);
    if (!turn.tryAcquire()) {
      throw ProblemException.unavailable(
          "Another suggestion is being made; try again.", RETRY_SECONDS);
    }
    try {
      return Response.json(
          200,
          suggest
              .run(new Suggest.Request(passport, from, to, denied, MOST_DECISIONS, true))
              .json());
    } finally {
      turn.release();
    }
  }
}

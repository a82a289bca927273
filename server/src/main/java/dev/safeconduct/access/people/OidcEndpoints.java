package dev.safeconduct.access.people;

import dev.safeconduct.access.DeviceName;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.Session;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.Message;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.net.IpAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sign-in at the identity provider, and the provider's notices of sign-outs. */
public final class OidcEndpoints {
  /** Where the console sends a browser to sign in at the provider. */
  public static final String SIGN_IN = "/console/sign-in/provider";

  /** Where the provider sends the browser back to. */
  public static final String CALLBACK = "/console/sign-in/callback";

  private static final String COOKIE = "safeconduct_oidc";
  private static final int MOST_TEXT = 4096;

  /** A notice is accepted once within its validity, and this is how long that may be. */
  private static final Duration LONGEST_NOTICE = Duration.ofHours(1);

  private final Optional<OidcSignIn> oidc;
  private final Identities identities;
  private final StartSession sessions;
  private final FormPage page;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Rate perBegin;
  private final Rate perAddress;

  /**
   * @param oidc empty where no provider is configured
   * @param perMinute how often people at one address may go to the provider, and come back; 0 for
   *     no limit
   */
  public OidcEndpoints(
      Optional<OidcSignIn> oidc,
      Identities identities,
      StartSession sessions,
      FormPage page,
      RateLimits limits,
      Recorder recorder,
      int perMinute) {
    this.oidc = oidc;
    this.identities = identities;
    this.sessions = sessions;
    this.page = page;
    this.limits = limits;
    this.recorder = recorder;
    this.perBegin = new Rate("login-provider-begin", perMinute, Duration.ofMinutes(1));
    this.perAddress = new Rate("login-provider", perMinute, Duration.ofMinutes(1));
  }

  public List<Route> routes() {
    return List.of(
        Route.get(SIGN_IN, Permission.BROWSER, this::begin),
        Route.get(CALLBACK, Permission.BROWSER, this::finish),
        Route.post("/oidc/back-channel-logout", Permission.OPEN, this::logout).form());
  }

  private Response begin(Request request) {
    return oidc.map(known -> begin(request, known)).orElseGet(OidcEndpoints::noProvider);
  }

  private Response finish(Request request) {
    return oidc.map(known -> finish(request, known)).orElseGet(OidcEndpoints::noProvider);
  }

  private static Response noProvider() {
    return Response.seeOther("/console/sign-in");
  }

  private Response begin(Request request, OidcSignIn known) {
    String next = SignIn.next(request.query("next").orElse(""));
    // A link on another site does not exchange the session, or the password for the provider.
    if (request.site() == FetchSite.OTHER && session(request).isPresent()) {
      return Response.seeOther(next);
    }
    var attempt = known.attempts().begin(next);
    try {
      limits.demand(
          perBegin, IpAddress.network(request.clientAddress()), "Too many tries to sign in.");
      String address =
          known
              .provider()
              .signInAddress(
                  known.attempts().state(attempt),
                  known.attempts().nonce(attempt),
                  known.attempts().verifier(attempt))
              .toASCIIString();
      return Response.seeOther(address)
          .header("Cache-Control", "no-store")
          .header("Set-Cookie", cookie(known.attempts().cookie(attempt), ProviderAttempts.LIFE));
    } catch (ProblemException e) {
      return refused(e.problem());
    }
  }

  /** Each attempt ends here, however it ends: its cookie is deleted and its state used up. */
  private Response finish(Request request, OidcSignIn known) {
    try {
      limits.demand(
          perAddress, IpAddress.network(request.clientAddress()), "Too many tries to sign in.");
      ProviderAttempts.Attempt attempt =
          known
              .attempts()
              .find(request.cookie(COOKIE).orElse(""), request.query("state").orElse(""))
              .filter(found ->
                  identities.useOnce("attempt " + found.id(), recorder.now(), found.expires()))
              .orElseThrow(() ->
                  ProblemException.unauthorized(
                      "This sign-in did not begin in this browser, has ended, or is older than"
                          + " ten minutes."));
      known.provider().demandIssuer(request.query("iss"));
      String code =
          request
              .query("code")
              .filter(text -> !text.isEmpty() && text.length() <= MOST_TEXT)
              .orElseThrow(() -> noCode(known, request));
      ProviderIdentity identity =
          known
              .provider()
              .identity(code, known.attempts().nonce(attempt), known.attempts().verifier(attempt));
      Origin origin = SignInByPasskey.anonymous(request.origin());
      Optional<Session> before = session(request);
      StartSession.Started started =
          known
              .signIn()
              .run(
                  origin,
                  identity,
                  before.map(Session::accountId),
                  DeviceName.of(request.header("User-Agent").orElse("")));
      before.ifPresent(session -> sessions.end(origin, session, "replaced"));
      return forget(page.cookies(Response.seeOther(attempt.next()), started));
    } catch (ProblemException e) {
      return forget(refused(e.problem()));
    }
  }

  private Optional<Session> session(Request request) {
    return sessions.find(request.cookie(Cookies.REFRESH), request.cookie(Cookies.SESSION));
  }

  private static ProblemException noCode(OidcSignIn known, Request request) {
    String error = request.query("error").filter(text -> text.matches("[a-z_]{1,40}")).orElse("");
    return ProblemException.unauthorized(
        known.name()
            + (error.isEmpty() || error.equals("access_denied")
                ? " has not signed you in."
                : " has not signed you in: " + error + "."));
  }

  private Response refused(Problem problem) {
    int status =
        switch (problem) {
          case Problem.Unavailable _ -> 503;
          case Problem.RateLimited _ -> 429;
          case Problem.Forbidden _ -> 403;
          default -> 401;
        };
    return page.message(
        status,
        "You are not signed in",
        problem.message(),
        new Message.Link("/console/sign-in", "Try again"));
  }

  private Response logout(Request request) {
    OidcSignIn known =
        oidc.orElseThrow(() ->
            ProblemException.notFound(
                "No identity provider is configured; see OIDC_ISSUER.", "not_found", Map.of()));
    String token =
        request
            .formField("logout_token")
            .orElseThrow(
                () -> ProblemException.invalid("logout_token", "logout_token is missing."));
    IdentityProvider.Logout notice = known.provider().logout(token);
    Instant now = recorder.now();
    if (notice.expires().isAfter(now.plus(LONGEST_NOTICE))) {
      throw ProblemException.invalid(
          "logout_token", "The logout token is valid for more than an hour.");
    }
    // A minute more: the check of the token tolerates clocks that differ by as much.
    Instant until = notice.expires().plus(Duration.ofMinutes(2));
    String issuer = known.provider().config().issuer();
    boolean obeyed =
        identities.useOnce(
            "logout " + notice.id(),
            now,
            until,
            sessions.endOfProvider(request.origin(), issuer, notice.subject(), notice.session()));
    if (!obeyed) {
      throw ProblemException.invalid("logout_token", "The logout token was used before.");
    }
    return Response.empty(200).header("Cache-Control", "no-store");
  }

  private Response forget(Response response) {
    return response
        .header("Cache-Control", "no-store")
        .header("Set-Cookie", cookie("", Duration.ZERO));
  }

  /** Lax: the provider's page sends the browser back with a link, not with a form. */
  private String cookie(String value, Duration life) {
    return Cookies.set(COOKIE, value, life, page.secure(), "Lax");
  }
}

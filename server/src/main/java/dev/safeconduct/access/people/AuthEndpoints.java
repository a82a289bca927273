package dev.safeconduct.access.people;

import dev.safeconduct.access.DeviceName;
import dev.safeconduct.access.Session;
import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Optional;

/** {@code /api/auth}: signing in and out, for people in browsers. */
public final class AuthEndpoints {
  private static final int MAX_PASSWORD = 1000;

  private final LogIn logIn;
  private final StartSession sessions;
  private final Accounts accounts;
  private final ForgotPassword forgotPassword;
  private final CurrentUser whoIsThis;
  private final boolean passwords;
  private final boolean secure;

  /**
   * @param passwords whether people can sign in by a password
   * @param secure whether cookies travel over TLS only
   */
  public AuthEndpoints(
      LogIn logIn,
      StartSession sessions,
      Accounts accounts,
      ForgotPassword forgotPassword,
      CurrentUser whoIsThis,
      boolean passwords,
      boolean secure) {
    this.logIn = logIn;
    this.sessions = sessions;
    this.accounts = accounts;
    this.forgotPassword = forgotPassword;
    this.whoIsThis = whoIsThis;
    this.passwords = passwords;
    this.secure = secure;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/auth/login", Permission.OPEN, this::login),
        Route.post("/api/auth/refresh", Permission.OPEN, this::refresh),
        Route.post("/api/auth/logout", Permission.OPEN, this::logout),
        Route.post("/api/auth/password/forgot", Permission.OPEN, this::forgot),
        Route.get(
            "/api/auth/me",
            new Permission.AnyCredential(),
            request -> Response.json(200, whoIsThis.run(request.caller()))));
  }

  private Response login(Request request) {
    refuseOtherSites(request);
    demandPasswords();
    Members body = Members.of(request.json());
    String email = body.text("email").orElseThrow(() -> body.missing("email"));
    String password = body.text("password").orElseThrow(() -> body.missing("password"));
    if (password.length() > MAX_PASSWORD || email.length() > MAX_PASSWORD) {
      throw body.fault("password", "Email address or password is longer than any can be.");
    }
    var attempt =
        new LogIn.Attempt(
            EmailAddress.parse(email),
            password,
            body.text("org_id").filter(t -> !t.isEmpty()),
            DeviceName.of(request.header("User-Agent").orElse("")));
    return switch (logIn.run(request.origin(), attempt)) {
      case SignInResult.Complete complete -> signedIn(complete.started());
      case SignInResult.SecondStep _ ->
          throw ProblemException.forbidden(
              "This account signs in with a second factor; use the page /console/sign-in.");
    };
  }

  private Response refresh(Request request) {
    Members body = Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY);
    String refresh = request.cookie(Cookies.REFRESH).orElseThrow(AuthEndpoints::ended);
    Sessions.Refresh found = sessions.find(refresh).orElseThrow(AuthEndpoints::ended);
    demandOurPage(request, found.session());
    OrgId org =
        body.text("org_id")
            .map(named ->
                logIn.place(
                    accounts.find(found.session().accountId()).orElseThrow(),
                    Optional.of(named),
                    found.session().byProvider()))
            .orElse(found.session().org());
    return signedIn(
        sessions.refresh(request.origin(), found, refresh, org).orElseThrow(AuthEndpoints::ended));
  }

  private Response logout(Request request) {
    Optional<Session> found =
        sessions.find(request.cookie(Cookies.REFRESH), request.cookie(Cookies.SESSION));
    if (found.isPresent()) {
      demandOurPage(request, found.get());
      sessions.end(request.origin(), found.get(), "logout");
    } else {
      refuseOtherSites(request);
    }
    return Cookies.signedOut(Response.json(200, JsonObject.of("ok", true)), secure);
  }

  private Response forgot(Request request) {
    refuseOtherSites(request);
    demandPasswords();
    Members body = Members.of(request.json());
    String text = body.text("email").orElseThrow(() -> body.missing("email"));
    EmailAddress email =
        EmailAddress.parse(text)
            .orElseThrow(() -> body.fault("email", "email must be an email address."));
    forgotPassword.run(request.origin(), email);
    return Response.json(202, JsonObject.of("ok", true));
  }

  private void demandPasswords() {
    if (!passwords) {
      throw SignIn.closed();
    }
  }

  private Response signedIn(StartSession.Started started) {
    return Cookies.signedIn(
        Response.json(
            200,
            JsonObject.builder()
                .put("ok", true)
                .put("account_id", started.accountId())
                .put("org_id", started.org().value())
                .put("expires_in", SessionTokens.LIFE.toSeconds())
                .put("csrf_token", started.csrf())
                .build()),
        started.token(),
        SessionTokens.LIFE,
        started.refresh(),
        started.refreshLife(),
        secure);
  }

  /** Accepts the session only for requests of the service's own pages, with its CSRF token. */
  private void demandOurPage(Request request, Session session) {
    boolean knows =
        request.header("X-CSRF-Token").filter(text -> sessions.isCsrf(session, text)).isPresent();
    if (request.site() != FetchSite.SAME || !knows) {
      throw ProblemException.unauthorized(
          "A session is honoured here only for requests of our own pages, with its CSRF token"
              + " in X-CSRF-Token.");
    }
  }

  /** Otherwise another site's page could sign its visitor in to another account, or out. */
  private static void refuseOtherSites(Request request) {
    if (request.site() == FetchSite.OTHER) {
      throw ProblemException.forbidden("Pages of other sites may not do this.");
    }
  }

  private static RuntimeException ended() {
    return ProblemException.unauthorized("The session has ended; sign in again.");
  }
}

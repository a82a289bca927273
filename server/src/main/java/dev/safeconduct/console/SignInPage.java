package dev.safeconduct.console;

import dev.safeconduct.access.DeviceName;
import dev.safeconduct.access.ProviderSession;
import dev.safeconduct.access.Session;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.access.people.FormToken;
import dev.safeconduct.access.people.LogIn;
import dev.safeconduct.access.people.OidcEndpoints;
import dev.safeconduct.access.people.OidcSignIn;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.console.view.ErrorText;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.SignInForm;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.Endpoint;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.HtmlPage;
import dev.safeconduct.http.Message;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.Json;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Signing in to the console and out of it, and the access check of pages. */
final class SignInPage {
  private static final String SIGN_IN = "/console/sign-in";
  private static final String SUBJECT = "sign-in";
  private static final int MAX_TEXT = 1000;

  private final SignIn signIn;
  private final StartSession sessions;
  private final OpenPage.Shared shared;
  private final InstantSource clock;

  SignInPage(SignIn signIn, OpenPage.Shared shared, InstantSource clock) {
    this.signIn = signIn;
    this.sessions = signIn.sessions();
    this.shared = shared;
    this.clock = clock;
  }

  List<Route> routes() {
    return List.of(
        Route.get(SIGN_IN, Permission.BROWSER, this::ask),
        entry(SIGN_IN, "sign in", this::signIn),
        entry(SIGN_IN + "/passkey", "sign in", this::passkey),
        entry("/console/password", "submit it", this::forgot),
        Route.post("/console/sign-out", Permission.BROWSER, this::signOut).form(),
        Route.post("/console/organization", Permission.BROWSER, this::move).form());
  }

  /** A page for signed-in people; others are redirected to the sign-in page. */
  Route page(String path, Function<OpenPage, Response> page) {
    return Route.get(path, Permission.BROWSER, guarded(page));
  }

  /** The route that receives a form of such a page. */
  Route form(String path, Function<OpenPage, Response> page) {
    return Route.post(path, Permission.BROWSER, guarded(page)).form();
  }

  /** The route of such a form; a problem with it is shown on the page that has the form. */
  Route form(String path, Function<OpenPage, Response> change, Function<OpenPage, Response> page) {
    return form(
        path,
        opened -> {
          try {
            return change.apply(opened);
          } catch (ProblemException e) {
            return opened.failed(e.problem(), () -> page.apply(opened));
          }
        });
  }

  private Endpoint guarded(Function<OpenPage, Response> page) {
    return request -> {
      if (!(request.caller() instanceof Caller.Anonymous)) {
        return open(request, request.caller(), page);
      }
      Optional<Renewed> renewed = renew(request);
      if (renewed.isPresent()) {
        return signIn
            .page()
            .cookies(open(request, renewed.get().caller(), page), renewed.get().started());
      }
      if (request.method().equals("POST")) {
        return form(
            403,
            request,
            "",
            "Nothing was changed: you are signed out, or the form is older than your session."
                + " Sign in and submit it again.");
      }
      return Response.seeOther(SIGN_IN + "?next=" + Formats.url(here(request)));
    };
  }

  private Response open(Request request, Caller caller, Function<OpenPage, Response> page) {
    var opened = new OpenPage(shared, request, caller, clock.instant());
    try {
      return page.apply(opened);
    } catch (ProblemException e) {
      return opened.again(
          "console/problem.jte", "Something went wrong", e.problem(), shell -> shell);
    }
  }

  private record Renewed(Caller caller, StartSession.Started started) {}

  /** Renews the session of a browser whose short-lived token has expired. */
  private Optional<Renewed> renew(Request request) {
    Optional<String> refresh = request.cookie(Cookies.REFRESH).filter(text -> !text.isEmpty());
    Optional<Sessions.Refresh> found = refresh.flatMap(sessions::find);
    if (found.isEmpty() || !isOurs(request, found.get().session())) {
      return Optional.empty();
    }
    Optional<Caller> caller = found.get().session().callerAt(clock.instant());
    return sessions
        .refresh(request.origin(), found.get(), refresh.get(), found.get().session().org())
        .flatMap(started -> caller.map(known -> new Renewed(known, started)));
  }

  private boolean isOurs(Request request, Session session) {
    return !request.method().equals("POST")
        || (request.site() == FetchSite.SAME
            && request
                .formField(Cookies.CSRF_FIELD)
                .filter(token -> sessions.isCsrf(session, token))
                .isPresent());
  }

  private Response ask(Request request) {
    return request.caller() instanceof Caller.Anonymous
        ? form(200, request, "", "")
        : Response.seeOther("/console");
  }

  private Response signIn(Request request) {
    String email = request.formField("email").orElse("");
    String password = request.formField("password").orElse("");
    if (email.length() > MAX_TEXT || password.length() > MAX_TEXT) {
      return form(400, request, "", "The email address or the password is too long.");
    }
    var attempt =
        new LogIn.Attempt(EmailAddress.parse(email), password, Optional.empty(), device(request));
    String next = SignIn.next(request.formField("next").orElse(""));
    return signIn
        .page()
        .enter(Response.seeOther(next), signIn.logIn().run(request.origin(), attempt), next);
  }

  /**
   * The route of a form for people without a session; the sign-in page shows its problem.
   *
   * @param again what to do when the form has expired
   */
  private Route entry(String path, String again, Function<Request, Response> form) {
    return Route.post(path, Permission.BROWSER, request -> sent(request, again, form)).form();
  }

  private Response sent(Request request, String again, Function<Request, Response> form) {
    if (!signIn.passwords()) {
      return form(403, request, "", SignIn.closed().problem().message());
    }
    if (!signIn.page().sent(request, SUBJECT)) {
      return form(403, request, "", "The form has expired. Please " + again + " again.");
    }
    try {
      return form.apply(request);
    } catch (ProblemException e) {
      String email = Formats.clip(request.formField("email").orElse(""), MAX_TEXT);
      return form(ErrorText.status(e.problem()), request, email, ErrorText.text(e.problem()));
    }
  }

  /** Signs in by a passkey instead of the password. */
  private Response passkey(Request request) {
    StartSession.Started started =
        signIn
            .second()
            .passkeys()
            .alone(
                request.origin(),
                request.formField("credential").orElse(""),
                request.cookie(FormToken.COOKIE).orElse(""),
                device(request));
    String next = SignIn.next(request.formField("next").orElse(""));
    return signIn.page().cookies(Response.seeOther(next), started);
  }

  private Response forgot(Request request) {
    String text = request.formField("email").orElse("");
    Optional<EmailAddress> email = EmailAddress.parse(Formats.clip(text, MAX_TEXT));
    if (email.isEmpty()) {
      return form(400, request, "", "Enter a valid email address.");
    }
    signIn.forgotPassword().run(request.origin(), email.get());
    return OpenPage.done(SIGN_IN, FlashMessage.PASSWORD_SENT);
  }

  private Response signOut(Request request) {
    Optional<Session> found =
        sessions.find(request.cookie(Cookies.REFRESH), request.cookie(Cookies.SESSION));
    // The end of the session deletes the ID token with which the provider is told.
    Optional<ProviderSession> provider = found.flatMap(sessions::provider);
    if (found.isPresent()) {
      if (!isOurs(request, found.get())) {
        return form(403, request, "", "You are still signed in: the form has expired.");
      }
      sessions.end(request.origin(), found.get(), "logout");
    }
    Response answer =
        provider
            .flatMap(session -> signIn.provider().flatMap(oidc -> leave(oidc, session)))
            .orElseGet(() ->
                Response.seeOther(
                    SIGN_IN
                        + request
                            .formField("next")
                            .map(next -> "?next=" + Formats.url(SignIn.next(next)))
                            .orElse("")));
    return Cookies.signedOut(answer, signIn.secure());
  }

  /**
   * Goes on to the provider, which ends its own session. A page does so, not a redirect: the
   * content security policy lets a form of ours lead to no other site. The address is in the page,
   * not in a header: with the ID token it is longer than some proxies let a header be.
   */
  private Optional<Response> leave(OidcSignIn oidc, ProviderSession session) {
    return oidc.logoutAddress(session)
        .map(address -> {
          String text = address.toASCIIString();
          var message =
              new Message(
                  "You are signed out here",
                  "Your browser goes on to " + oidc.name() + ", to sign out there too.",
                  List.of(new Message.Link(text, "Sign out of " + oidc.name())),
                  Optional.of(text));
          return HtmlPage.of(200, shared.templates().render("page/message.jte", message))
              .header("Cache-Control", "no-store");
        });
  }

  /** Switches to another organization of the person. */
  private Response move(Request request) {
    Optional<String> refresh = request.cookie(Cookies.REFRESH);
    Optional<Sessions.Refresh> found = refresh.flatMap(sessions::find);
    if (found.isEmpty() || !isOurs(request, found.get().session())) {
      return form(403, request, "", "Please sign in again.");
    }
    OrgId org =
        signIn
            .logIn()
            .place(
                signIn.accounts().find(found.get().session().accountId()).orElseThrow(),
                request.formField("org_id").filter(text -> text.length() <= MAX_TEXT),
                found.get().session().byProvider());
    Response moved = OpenPage.done("/console", FlashMessage.MOVED);
    return sessions
        .refresh(request.origin(), found.get(), refresh.get(), org)
        .map(started -> signIn.page().cookies(moved, started))
        .orElseGet(() -> form(403, request, "", "Please sign in again."));
  }

  private Response form(int status, Request request, String email, String problem) {
    String cookie = signIn.page().cookie(request);
    boolean posted = request.method().equals("POST");
    Optional<String> asked = posted ? request.formField("next") : request.query("next");
    String next = SignIn.next(asked.orElse(""));
    var model =
        new SignInForm(
            signIn.forms().make(cookie, SUBJECT),
            next,
            signIn
                .provider()
                .map(oidc ->
                    new SignInForm.Provider(
                        oidc.name(),
                        OidcEndpoints.SIGN_IN + "?next=" + Formats.url(next),
                        !signIn.passwords())),
            Optional.of(signIn)
                .filter(SignIn::passkeys)
                .map(known -> Json.text(known.second().webAuthn().request(cookie, List.of()))),
            email,
            problem,
            posted ? "" : request.query("done").flatMap(FlashMessage::text).orElse(""),
            shared.assets());
    Response page =
        HtmlPage.console(status, shared.templates().render("console/sign-in.jte", model));
    return signIn.page().kept(cookie, page);
  }

  private static String here(Request request) {
    var query = new StringBuilder();
    for (String name : request.queryNames()) {
      query
          .append(query.isEmpty() ? '?' : '&')
          .append(Formats.url(name))
          .append('=')
          .append(Formats.url(request.query(name).orElse("")));
    }
    return request.path() + query;
  }

  static String device(Request request) {
    return DeviceName.of(request.header("User-Agent").orElse(""));
  }
}

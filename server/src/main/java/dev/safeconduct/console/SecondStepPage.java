package dev.safeconduct.console;

import dev.safeconduct.access.StartSession;
import dev.safeconduct.access.people.PendingSignIns;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.access.people.SignInByPasskey;
import dev.safeconduct.console.view.ErrorText;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SecondStepForm;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.HtmlPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** The second step of a sign-in, after the password: a passkey or a recovery code. */
public final class SecondStepPage {
  private static final String PATH = SignIn.SECOND_STEP;
  private static final String SUBJECT = "second-step";

  private final SignIn signIn;
  private final OpenPage.Shared shared;

  SecondStepPage(SignIn signIn, OpenPage.Shared shared) {
    this.signIn = signIn;
    this.shared = shared;
  }

  List<Route> routes() {
    return List.of(
        Route.get(PATH, Permission.BROWSER, this::ask),
        form("/passkey", this::usePasskey),
        form("/recovery-code", this::useCode),
        form("/register", this::register));
  }

  private Route form(String path, BiFunction<Request, PendingSignIns.Pending, Response> use) {
    return Route.post(PATH + path, Permission.BROWSER, request -> send(request, use)).form();
  }

  /**
   * New recovery codes; {@code console/recovery-codes.jte}.
   *
   * @param next the path of the page that follows
   */
  public record Codes(List<String> codes, String next, Layout.Assets assets) {
    public String text() {
      return String.join("\n", codes);
    }

    /** Returns the codes as a file, which needs no script and no second request. */
    public String download() {
      return "data:text/plain;charset=utf-8," + Formats.url(text() + "\n").replace("+", "%20");
    }

    @Override
    public String toString() {
      return "Codes[hidden]";
    }
  }

  /** Returns the page that shows new recovery codes. */
  static Response codes(OpenPage.Shared shared, List<String> codes, String next) {
    var model = new Codes(codes, next, shared.assets());
    return HtmlPage.console(200, shared.templates().render("console/recovery-codes.jte", model))
        .header("Cache-Control", "no-store");
  }

  private Response ask(Request request) {
    return pending(request)
        .map(pending -> show(200, request, pending, ""))
        .orElseGet(SecondStepPage::again);
  }

  private static Response again() {
    return Response.seeOther("/console/sign-in?done=sign_in_again");
  }

  private Optional<PendingSignIns.Pending> pending(Request request) {
    return request
        .cookie(PendingSignIns.COOKIE)
        .filter(_ -> signIn.passwords())
        .flatMap(signIn.second().pending()::open);
  }

  private Response send(
      Request request, BiFunction<Request, PendingSignIns.Pending, Response> use) {
    Optional<PendingSignIns.Pending> pending = pending(request);
    if (pending.isEmpty()) {
      return again();
    }
    if (!signIn.page().sent(request, SUBJECT)) {
      return show(403, request, pending.get(), "The form has expired. Please submit it again.");
    }
    try {
      return use.apply(request, pending.get());
    } catch (ProblemException e) {
      return show(
          ErrorText.status(e.problem()), request, pending.get(), ErrorText.text(e.problem()));
    }
  }

  private Response usePasskey(Request request, PendingSignIns.Pending pending) {
    return signedIn(
        Response.seeOther(next(request)),
        signIn
            .second()
            .passkeys()
            .second(
                request.origin(),
                pending,
                request.formField("credential").orElse(""),
                SignInPage.device(request)));
  }

  private Response useCode(Request request, PendingSignIns.Pending pending) {
    return signedIn(
        Response.seeOther("/console/account?done=code_used"),
        signIn
            .second()
            .passkeys()
            .byCode(
                request.origin(),
                pending,
                Formats.clip(request.formField("code").orElse(""), 100),
                SignInPage.device(request)));
  }

  private Response register(Request request, PendingSignIns.Pending pending) {
    SignInByPasskey.Registered registered =
        signIn
            .second()
            .passkeys()
            .register(
                request.origin(),
                pending,
                request.formField("credential").orElse(""),
                request.formField("name").orElse(""),
                SignInPage.device(request));
    return signedIn(codes(shared, registered.codes(), next(request)), registered.started());
  }

  private Response signedIn(Response done, StartSession.Started started) {
    return signIn
        .page()
        .cookies(done, started)
        .header("Set-Cookie", signIn.page().pendingCookie("", Duration.ZERO));
  }

  private Response show(
      int status, Request request, PendingSignIns.Pending pending, String problem) {
    String cookie = signIn.page().cookie(request);
    SignIn.SecondStep second = signIn.second();
    Optional<String> options =
        Optional.of(second.webAuthn())
            .filter(known -> known.isPossible())
            .map(known ->
                Json.text(
                    pending.registers()
                        ? known.creation(pending.id(), pending.account(), List.of())
                        : known.request(
                            pending.id(), second.factors().passkeys(pending.account().id()))));
    var model =
        new SecondStepForm(
            signIn.forms().make(cookie, SUBJECT),
            next(request),
            pending.account().email().value(),
            pending.registers(),
            options,
            SignInPage.device(request),
            problem,
            shared.assets());
    Response page =
        HtmlPage.console(status, shared.templates().render("console/second-step.jte", model))
            .header("Cache-Control", "no-store");
    return signIn.page().kept(cookie, page);
  }

  private static String next(Request request) {
    boolean posted = request.method().equals("POST");
    return SignIn.next((posted ? request.formField("next") : request.query("next")).orElse(""));
  }
}

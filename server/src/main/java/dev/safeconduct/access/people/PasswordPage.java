package dev.safeconduct.access.people;

import dev.safeconduct.access.DeviceName;
import dev.safeconduct.access.SignInMethod;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Message;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.Origin;
import java.util.List;
import java.util.Optional;

/** {@code /password/{token}}: the page of a link to set a password. */
public final class PasswordPage {
  private static final String SUBJECT = "password ";

  /**
   * The model of {@code people/password.jte}.
   *
   * @param email the person's address
   * @param csrfToken for the form
   * @param asksEmail whether the person must still enter their address
   * @param problem why the form was rejected; empty the first time
   */
  public record Form(
      String email, String csrfToken, boolean asksEmail, String problem, int minLength) {}

  private final PasswordLinks links;
  private final SetPassword setPassword;
  private final FormPage page;
  private final SignIn signIn;

  public PasswordPage(PasswordLinks links, SetPassword setPassword, FormPage page, SignIn signIn) {
    this.signIn = signIn;
    this.links = links;
    this.setPassword = setPassword;
    this.page = page;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/password/{token}", Permission.OPEN, this::show),
        Route.post("/password/{token}", Permission.OPEN, this::set).form());
  }

  private Response show(Request request) {
    if (!signIn.passwords()) {
      return closed();
    }
    return links
        .open(request.pathParam("token"))
        .map(account -> form(200, request, account, ""))
        .orElseGet(this::gone);
  }

  private Response set(Request request) {
    if (!signIn.passwords()) {
      return closed();
    }
    Optional<Account> account = links.open(request.pathParam("token"));
    if (account.isEmpty()) {
      return gone();
    }
    if (!page.sent(request, SUBJECT + account.get().id())) {
      return form(403, request, account.get(), "The form is too old. Please send it again.");
    }
    String password = request.formField("password").orElse("");
    if (!SetPassword.isFit(password)) {
      return form(
          400,
          request,
          account.get(),
          "A password has " + SetPassword.MIN_LENGTH + " to 200 characters.");
    }
    Optional<EmailAddress> email =
        account.get().isNameless()
            ? request.formField("email").flatMap(EmailAddress::parse)
            : Optional.of(account.get().email());
    if (email.isEmpty()) {
      return form(400, request, account.get(), "Enter your email address.");
    }
    Origin origin = request.origin();
    try {
      return setPassword.run(origin, account.get().withEmail(email.get()), password)
          ? signedIn(
              origin,
              signIn.accounts().find(account.get().id()).orElseThrow(),
              DeviceName.of(request.header("User-Agent").orElse("")))
          : gone();
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.Conflict) {
        return form(409, request, account.get(), "This address already has an account.");
      }
      throw e;
    }
  }

  /**
   * Opens the console with a new session; earlier ones ended with the old password. A person
   * without an organization gets the page to sign in.
   */
  private Response signedIn(Origin origin, Account account, String device) {
    try {
      return page.enter(
          Response.seeOther("/console?done=password_set"),
          signIn
              .logIn()
              .enter(
                  origin,
                  account,
                  signIn.logIn().place(account, Optional.empty()),
                  SignInMethod.of("password_link", device)),
          "/console");
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.Forbidden) {
        return Response.seeOther("/console/sign-in?done=password_set");
      }
      throw e;
    }
  }

  private Response form(int status, Request request, Account account, String problem) {
    return page.form(
        status,
        request,
        SUBJECT + account.id(),
        "people/password.jte",
        token ->
            new Form(
                account.email().value(),
                token,
                account.isNameless(),
                problem,
                SetPassword.MIN_LENGTH));
  }

  private Response closed() {
    return page.message(
        403,
        "Sign-in by password is disabled",
        "People sign in here at the identity provider alone.",
        new Message.Link("/console/sign-in", "Sign in"));
  }

  private Response gone() {
    return page.message(
        410,
        "This link does not work any more",
        "It has been used, has expired, or a newer one was sent. Ask for another one on the"
            + " sign-in page.",
        new Message.Link("/console/sign-in", "Sign in"));
  }
}

package dev.safeconduct.people;

import dev.safeconduct.audit.Origin;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.Site;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.page.HtmlPage;
import dev.safeconduct.page.Message;
import dev.safeconduct.page.Templates;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code /password/{token}}: where a link to set a password leads. */
public final class PasswordPage {
  private static final String SUBJECT = "password ";

  private final PasswordLinks links;
  private final SetPassword setPassword;
  private final FormToken forms;
  private final Templates templates;
  private final boolean secure;

  public PasswordPage(
      PasswordLinks links,
      SetPassword setPassword,
      FormToken forms,
      Templates templates,
      boolean secure) {
    this.links = links;
    this.setPassword = setPassword;
    this.forms = forms;
    this.templates = templates;
    this.secure = secure;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/password/{token}", Permission.OPEN, this::show),
        Route.post("/password/{token}", Permission.OPEN, this::set).form());
  }

  private Response show(Request request) {
    return links
        .open(request.pathParam("token"))
        .map(account -> form(200, request, account, ""))
        .orElseGet(this::gone);
  }

  private Response set(Request request) {
    Optional<Account> account = links.open(request.pathParam("token"));
    if (account.isEmpty()) {
      return gone();
    }
    String cookie = request.cookie(FormToken.COOKIE).orElse("");
    boolean ours =
        request
            .formField(Cookies.CSRF_FIELD)
            .filter(token -> forms.matches(token, cookie, SUBJECT + account.get().id()))
            .isPresent();
    if (!ours || request.site() == Site.OTHER) {
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
      return form(400, request, account.get(), "Please give your e-mail address.");
    }
    var origin = new Origin(request.caller(), request.clientAddress(), request.requestId());
    try {
      return setPassword.run(origin, account.get().withEmail(email.get()), password)
          ? message(200, "Your password is set", "Earlier sessions have ended. Sign in with it.")
          : gone();
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.Conflict) {
        return form(409, request, account.get(), "That address has an account already.");
      }
      throw e;
    }
  }

  private Response form(int status, Request request, Account account, String problem) {
    Optional<String> known = request.cookie(FormToken.COOKIE).filter(forms::isCookie);
    String cookie = known.orElseGet(forms::newCookie);
    var model =
        new PasswordForm(
            account.email().value(),
            forms.make(cookie, SUBJECT + account.id()),
            account.isNameless(),
            problem,
            SetPassword.MIN_LENGTH);
    return HtmlPage.of(status, templates.render("people/password.jte", model))
        .header(
            "Set-Cookie",
            Cookies.set(FormToken.COOKIE, cookie, Duration.ofHours(12), secure, "Strict"));
  }

  private Response gone() {
    return message(
        410,
        "This link does not work any more",
        "It was used, it is too old, or a newer one was sent. Ask for another.");
  }

  private Response message(int status, String title, String text) {
    return HtmlPage.of(status, templates.render("page/message.jte", new Message(title, text)));
  }
}

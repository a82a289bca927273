package dev.safeconduct.access.people;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.HtmlPage;
import dev.safeconduct.http.Message;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.text.Templates;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * A page whose form needs no session, and the cookies that follow such a form.
 *
 * @param secure whether cookies travel over TLS only
 */
public record FormPage(FormToken tokens, Templates templates, boolean secure) {
  /** Returns whether the request submits the form of a page about {@code subject}. */
  public boolean sent(Request request, String subject) {
    String cookie = request.cookie(FormToken.COOKIE).orElse("");
    return request.site() != FetchSite.OTHER
        && request
            .formField(Cookies.CSRF_FIELD)
            .filter(token -> tokens.matches(token, cookie, subject))
            .isPresent();
  }

  /** Returns the page with the form; {@code model} receives the form's token. */
  public Response form(
      int status,
      Request request,
      String subject,
      String template,
      Function<String, Object> model) {
    String cookie = cookie(request);
    Object shown = model.apply(tokens.make(cookie, subject));
    return kept(cookie, HtmlPage.of(status, templates.render(template, shown)));
  }

  /** Returns the cookie of the browser's forms: the one it has, or a new one. */
  public String cookie(Request request) {
    return request.cookie(FormToken.COOKIE).filter(tokens::isCookie).orElseGet(tokens::newCookie);
  }

  /** Returns the response with the cookie of its form. */
  public Response kept(String cookie, Response response) {
    return response.header(
        "Set-Cookie",
        Cookies.set(FormToken.COOKIE, cookie, Duration.ofHours(12), secure, "Strict"));
  }

  /** Returns a page without a form. */
  public Response message(int status, String title, String text, Message.Link... links) {
    var model = new Message(title, text, List.of(links));
    return HtmlPage.of(status, templates.render("page/message.jte", model));
  }

  /**
   * Returns the response with the cookies of what follows a proved password.
   *
   * @param done the response to a person who is signed in
   * @param next the path to open after a second step
   */
  public Response enter(Response done, SignInResult result, String next) {
    return switch (result) {
      case SignInResult.Complete complete -> cookies(done, complete.started());
      case SignInResult.SecondStep step ->
          Response.seeOther(SignIn.SECOND_STEP + "?next=" + URLEncoder.encode(next, UTF_8))
              .header("Cache-Control", "no-store")
              .header("Set-Cookie", pendingCookie(step.cookie(), PendingSignIns.LIFE));
    };
  }

  /** Returns the response with the cookies of a session. */
  public Response cookies(Response response, StartSession.Started started) {
    return Cookies.signedIn(
        response,
        started.token(),
        SessionTokens.LIFE,
        started.refresh(),
        started.refreshLife(),
        secure);
  }

  /** Returns the value of {@code Set-Cookie} of a sign-in that waits for its second step. */
  public String pendingCookie(String value, Duration life) {
    return Cookies.set(PendingSignIns.COOKIE, value, life, secure, "Strict");
  }
}

package dev.safeconduct.access.people;

import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.HtmlPage;
import dev.safeconduct.http.Message;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.text.Templates;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * A page whose form needs no session.
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
    String cookie =
        request.cookie(FormToken.COOKIE).filter(tokens::isCookie).orElseGet(tokens::newCookie);
    Object shown = model.apply(tokens.make(cookie, subject));
    return HtmlPage.of(status, templates.render(template, shown))
        .header(
            "Set-Cookie",
            Cookies.set(FormToken.COOKIE, cookie, Duration.ofHours(12), secure, "Strict"));
  }

  /** Returns a page without a form. */
  public Response message(int status, String title, String text, Message.Link... links) {
    var model = new Message(title, text, List.of(links));
    return HtmlPage.of(status, templates.render("page/message.jte", model));
  }
}

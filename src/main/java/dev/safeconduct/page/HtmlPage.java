package dev.safeconduct.page;

import dev.safeconduct.http.Response;
import java.nio.charset.StandardCharsets;

/**
 * An HTML answer. No page runs a script unless it says so, is framed, or tells another site where
 * its reader came from: a claim link in a {@code Referer} would be a claim link given away.
 */
public final class HtmlPage {
  private static final String TYPE = "text/html; charset=utf-8";
  private static final String POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self';"
          + " base-uri 'none'; frame-ancestors 'none'";

  /** Scripts of ours alone, none of them in the page, and calls to us alone. */
  private static final String SCRIPTED =
      POLICY + "; script-src 'self'; connect-src 'self'; font-src 'self' data:";

  private HtmlPage() {}

  public static Response of(int status, String html) {
    return answer(status, html, POLICY);
  }

  /** A page that runs scripts this service serves. */
  public static Response withScripts(int status, String html) {
    return answer(status, html, SCRIPTED);
  }

  private static Response answer(int status, String html, String policy) {
    return Response.bytes(status, TYPE, html.getBytes(StandardCharsets.UTF_8))
        .header("Content-Security-Policy", policy)
        .header("Referrer-Policy", "no-referrer")
        .header("X-Frame-Options", "DENY")
        .header("Cross-Origin-Opener-Policy", "same-origin");
  }
}

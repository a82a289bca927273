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
    return answer(status, html, POLICY, "no-referrer");
  }

  /** A page that runs scripts this service serves. */
  public static Response withScripts(int status, String html) {
    return answer(status, html, SCRIPTED, "no-referrer");
  }

  /**
   * A page of the console. Its forms tell our own site where they come from: a browser that sends
   * no {@code Sec-Fetch-Site} would send {@code Origin: null} otherwise.
   */
  public static Response console(int status, String html) {
    return answer(status, html, SCRIPTED, "same-origin");
  }

  private static Response answer(int status, String html, String policy, String referrer) {
    return Response.bytes(status, TYPE, html.getBytes(StandardCharsets.UTF_8))
        .header("Content-Security-Policy", policy)
        .header("Referrer-Policy", referrer)
        .header("X-Frame-Options", "DENY")
        .header("Cross-Origin-Opener-Policy", "same-origin");
  }
}

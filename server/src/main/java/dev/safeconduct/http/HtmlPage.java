package dev.safeconduct.http;

import java.nio.charset.StandardCharsets;

/**
 * An HTML response. By default a page runs no scripts, cannot be framed, and sends no {@code
 * Referer} to other sites: a claim link in a {@code Referer} would leak the claim link.
 */
public final class HtmlPage {
  private static final String TYPE = "text/html; charset=utf-8";
  private static final String POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self';"
          + " base-uri 'none'; frame-ancestors 'none'";

  /** Allows only scripts of this service, no inline scripts, and requests to this service only. */
  private static final String SCRIPTED =
      POLICY + "; script-src 'self'; connect-src 'self'; font-src 'self' data:";

  private HtmlPage() {}

  public static Response of(int status, String html) {
    return answer(status, html, POLICY, "no-referrer");
  }

  /** Returns a page that runs scripts of this service. */
  public static Response withScripts(int status, String html) {
    return answer(status, html, SCRIPTED, "no-referrer");
  }

  /**
   * Returns a page of the console. Its forms send their origin to this service. Otherwise a browser
   * that sends no {@code Sec-Fetch-Site} would send {@code Origin: null}.
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

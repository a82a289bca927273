package dev.safeconduct.page;

import dev.safeconduct.http.Response;
import java.nio.charset.StandardCharsets;

/**
 * An HTML answer. No page runs a script, is framed, or tells another site where its reader came
 * from: a claim link in a {@code Referer} would be a claim link given away.
 */
public final class HtmlPage {
  private static final String TYPE = "text/html; charset=utf-8";
  private static final String POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self';"
          + " base-uri 'none'; frame-ancestors 'none'";

  private HtmlPage() {}

  public static Response of(int status, String html) {
    return Response.bytes(status, TYPE, html.getBytes(StandardCharsets.UTF_8))
        .header("Content-Security-Policy", POLICY)
        .header("Referrer-Policy", "no-referrer")
        .header("X-Frame-Options", "DENY")
        .header("Cross-Origin-Opener-Policy", "same-origin");
  }
}

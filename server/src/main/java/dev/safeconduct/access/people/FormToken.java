package dev.safeconduct.access.people;

import dev.safeconduct.signing.LinkTokens;
import java.util.Base64;
import java.util.random.RandomGenerator;

/**
 * The CSRF token of a page that needs no session. The form must be submitted with the cookie that
 * was set with the page (the signed double-submit pattern).
 */
public final class FormToken {
  public static final String COOKIE = "safeconduct_form";

  private final LinkTokens tokens;
  private final RandomGenerator random;

  public FormToken(LinkTokens tokens, RandomGenerator random) {
    this.tokens = tokens;
    this.random = random;
  }

  /** Returns the value of a new cookie. */
  public String newCookie() {
    byte[] bytes = new byte[24];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Returns whether the text has the form of this service's cookie. */
  public boolean isCookie(String text) {
    return text.matches("[A-Za-z0-9_-]{32}");
  }

  /** Returns the token for a form on the page about {@code subject}. */
  public String make(String cookie, String subject) {
    return tokens.make(cookie, subject);
  }

  public boolean matches(String token, String cookie, String subject) {
    return isCookie(cookie) && tokens.matches(token, cookie, subject);
  }
}

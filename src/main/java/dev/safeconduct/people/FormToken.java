package dev.safeconduct.people;

import dev.safeconduct.signing.LinkTokens;
import java.util.Base64;
import java.util.random.RandomGenerator;

/**
 * The CSRF token of a page that needs no session: its form must come back with the cookie that the
 * page was answered with (the signed double-submit pattern).
 */
public final class FormToken {
  public static final String COOKIE = "safeconduct_form";

  private final LinkTokens tokens;
  private final RandomGenerator random;

  public FormToken(LinkTokens tokens, RandomGenerator random) {
    this.tokens = tokens;
    this.random = random;
  }

  /** What a new cookie holds. */
  public String newCookie() {
    byte[] bytes = new byte[24];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Whether the text can be a cookie of ours. */
  public boolean isCookie(String text) {
    return text.matches("[A-Za-z0-9_-]{32}");
  }

  /** The token for a form on the page about {@code subject}. */
  public String make(String cookie, String subject) {
    return tokens.make(cookie, subject);
  }

  public boolean matches(String token, String cookie, String subject) {
    return isCookie(cookie) && tokens.matches(token, cookie, subject);
  }
}

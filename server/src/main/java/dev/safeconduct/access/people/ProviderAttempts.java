package dev.safeconduct.access.people;

import dev.safeconduct.signing.LinkTokens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Attempts to sign in at the provider. The browser's cookie names its attempt; state, nonce and
 * PKCE verifier are computed from it with a key of this service. Any node can so finish what
 * another began, nothing is stored for people who never come back, and the verifier never leaves
 * the service before the code is exchanged.
 */
public final class ProviderAttempts {
  static final Duration LIFE = Duration.ofMinutes(10);

  private final LinkTokens tokens;
  private final RandomGenerator random;
  private final InstantSource clock;

  public ProviderAttempts(LinkTokens tokens, RandomGenerator random, InstantSource clock) {
    this.tokens = tokens;
    this.random = random;
    this.clock = clock;
  }

  /**
   * One attempt.
   *
   * @param id random, with the time at which it expires
   * @param next the path to open after it
   */
  record Attempt(String id, Instant expires, String next) {}

  Attempt begin(String next) {
    byte[] bytes = new byte[24];
    random.nextBytes(bytes);
    Instant expires = clock.instant().plus(LIFE);
    String name = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return new Attempt(name + "." + expires.toEpochMilli(), expires, next);
  }

  String cookie(Attempt attempt) {
    return tokens.make(attempt.id(), "cookie " + attempt.next())
        + "."
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(attempt.next().getBytes(StandardCharsets.UTF_8));
  }

  String state(Attempt attempt) {
    return tokens.make(attempt.id(), "state");
  }

  String nonce(Attempt attempt) {
    return tokens.make(attempt.id(), "nonce");
  }

  /** Returns the PKCE code verifier; 43 to 128 characters (RFC 7636 section 4.1). */
  String verifier(Attempt attempt) {
    return tokens.make(attempt.id(), "verifier");
  }

  /** Returns the attempt of the browser with this cookie, if the state is that attempt's. */
  Optional<Attempt> find(String cookie, String state) {
    int dot = cookie.indexOf('.');
    if (dot < 0) {
      return Optional.empty();
    }
    String token = cookie.substring(0, dot);
    return attempt(token, cookie.substring(dot + 1))
        .filter(attempt -> tokens.matches(token, attempt.id(), "cookie " + attempt.next()))
        .filter(attempt -> tokens.matches(state, attempt.id(), "state"))
        .filter(attempt -> clock.instant().isBefore(attempt.expires()));
  }

  private static Optional<Attempt> attempt(String token, String next) {
    Optional<String> id = LinkTokens.id(token);
    int dot = id.map(text -> text.indexOf('.')).orElse(-1);
    if (dot < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Attempt(
              id.get(),
              Instant.ofEpochMilli(Long.parseLong(id.get().substring(dot + 1))),
              new String(Base64.getUrlDecoder().decode(next), StandardCharsets.UTF_8)));
    } catch (IllegalArgumentException _) {
      return Optional.empty(); // no number, or no base64
    }
  }
}

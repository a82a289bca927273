package dev.safeconduct.passport.issue;

import dev.safeconduct.signing.LinkTokens;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Creates and opens the links by which a human claims a passport. The token derives from the
 * claim's id and its expiry. It appears only in the email.
 */
public final class ClaimLinks {
  /** The lifetime of a link, starting when its email is written. */
  public static final Duration LIFE = Duration.ofDays(3);

  private final Claims claims;
  private final LinkTokens tokens;
  private final String issueUrl;
  private final InstantSource clock;

  /**
   * @param issueUrl the public address of issuing and claiming, without a trailing slash
   */
  public ClaimLinks(Claims claims, LinkTokens tokens, String issueUrl, InstantSource clock) {
    this.claims = claims;
    this.tokens = tokens;
    this.issueUrl = issueUrl;
    this.clock = clock;
  }

  String make(Claim claim) {
    return issueUrl + "/claim/" + tokens.make(claim.id(), state(claim));
  }

  /** Returns the claim of a token; empty if the token is wrong, used, expired or superseded. */
  Optional<Claim> open(String token) {
    return LinkTokens.id(token)
        .flatMap(claims::find)
        .filter(claim -> tokens.matches(token, claim.id(), state(claim)))
        .filter(claim -> claim.isOpenAt(clock.instant()));
  }

  private static String state(Claim claim) {
    return "e" + claim.expiresAt().toEpochMilli();
  }
}

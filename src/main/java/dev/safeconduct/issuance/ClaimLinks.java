package dev.safeconduct.issuance;

import dev.safeconduct.signing.LinkTokens;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Links by which a human claims a passport. The token is made of the claim's id and the moment it
 * expires; it is in the letter and nowhere else.
 */
public final class ClaimLinks {
  /** How long a link is good, from when its letter is written. */
  public static final Duration LIFE = Duration.ofDays(3);

  private final Claims claims;
  private final LinkTokens tokens;
  private final String issueUrl;
  private final InstantSource clock;

  /**
   * @param issueUrl the public address of issuing and claiming, without a slash at its end
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

  /** The claim a token opens; empty when it is wrong, used, expired or no longer the newest. */
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

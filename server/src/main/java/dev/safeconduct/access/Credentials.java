package dev.safeconduct.access;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Authenticator;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.ledger.ChangeFeed;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Identifies the caller by a credential: the admin token, an API key, or a session.
 *
 * <p>An address with too many failures is rejected before any look-up and cannot keep guessing the
 * admin token. A key already in use is still accepted from it. A broken client must not lock out
 * other callers behind one address, and 256 random bits cannot be guessed.
 */
public final class Credentials implements Authenticator {
  private static final int MAX_LENGTH = 1024;
  private static final int MAX_SESSION_LENGTH = 4096;

  private final KeyHash adminToken;
  private final KeyCache cache;
  private final SignedIn sessions;
  private final FailedAttempts failures;
  private final InstantSource clock;

  /**
   * @param failedPerAddressPerMinute {@code RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE}; 0 for no
   *     limit
   */
  public Credentials(
      ApiKeys keys,
      ChangeFeed feed,
      KeyHash adminToken,
      SignedIn sessions,
      int failedPerAddressPerMinute,
      InstantSource clock) {
    this.adminToken = adminToken;
    this.sessions = sessions;
    this.cache = new KeyCache(keys, clock);
    this.failures = new FailedAttempts(failedPerAddressPerMinute, clock);
    this.clock = clock;
    feed.listen(cache::changed);
  }

  @Override
  public Caller authenticate(String credential, boolean bearer, String clientAddress) {
    boolean wellFormed = KeyText.isWellFormed(credential);
    OptionalInt wait = failures.waitSeconds(clientAddress);
    if (credential.length() > MAX_LENGTH || (!wellFormed && !bearer)) {
      throw refused(clientAddress, wait);
    }
    KeyHash hash = KeyHash.of(credential);
    if (wait.isPresent()) {
      KeyCache.Known inUse = wellFormed ? cache.remembered(hash) : null;
      if (inUse != null && inUse.key().usableAt(clock.instant())) {
        return inUse.caller();
      }
      throw tooMany(wait.getAsInt());
    }
    if (bearer && adminToken.matches(hash)) {
      return new Caller.Admin();
    }
    if (wellFormed) {
      var known = cache.find(hash);
      if (known.isPresent() && known.get().key().usableAt(clock.instant())) {
        return known.get().caller();
      }
    }
    throw refused(clientAddress, wait);
  }

  /** A forged token fails its signature check, and an expired one is no guess: neither counts. */
  @Override
  public Caller session(String token, String clientAddress) {
    Optional<Caller> caller =
        token.length() > MAX_SESSION_LENGTH ? Optional.empty() : sessions.caller(token);
    return caller.orElseThrow(
        () -> new Problem.Unauthorized("The session has ended; sign in again.").toException());
  }

  @Override
  public boolean isCsrfToken(Caller caller, String text) {
    return sessions.isCsrf(caller, text);
  }

  private ProblemException refused(String address, OptionalInt wait) {
    if (wait.isPresent()) {
      return tooMany(wait.getAsInt());
    }
    failures.note(address);
    return new Problem.Unauthorized(
            "The credential is not valid: unknown, expired or revoked. Send an API key in"
                + " X-API-Key.")
        .toException();
  }

  private ProblemException tooMany(int seconds) {
    return new Problem.RateLimited(
            "Too many failed credentials from this address. Try again in " + seconds + " s.",
            seconds,
            Optional.of(failures.limit()))
        .toException();
  }
}

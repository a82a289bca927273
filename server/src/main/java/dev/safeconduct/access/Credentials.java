package dev.safeconduct.access;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Authenticator;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.ledger.ChangeFeed;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the caller by a credential: the admin token, an operator's token, an API key, or a
 * session.
 *
 * <p>Too many failures of an address delay only its further failures: a broken client must not lock
 * out other callers behind the same address, least of all the operator. Guessing stays hopeless,
 * because keys have 256 random bits and the admin token at least 24 characters.
 */
public final class Credentials implements Authenticator {
  private static final int MAX_LENGTH = 1024;
  private static final int MAX_SESSION_LENGTH = 4096;

  private final OperatorTokens tokens;
  private final KeyCache cache;
  private final SignedIn sessions;
  private final Cell cell;
  private final FailedAttempts failures;
  private final KeyUse uses;
  private final InstantSource clock;

  /**
   * @param cell whose keys are accepted, beside those that name none
   * @param failedPerAddressPerMinute {@code RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE}; 0 for no
   *     limit
   * @param uses notes when keys are used
   */
  public Credentials(
      ApiKeys keys,
      ChangeFeed feed,
      OperatorTokens tokens,
      SignedIn sessions,
      Cell cell,
      int failedPerAddressPerMinute,
      KeyUse uses,
      InstantSource clock) {
    this.tokens = tokens;
    this.sessions = sessions;
    this.cell = cell;
    this.cache = new KeyCache(keys, clock);
    this.failures = new FailedAttempts(failedPerAddressPerMinute, clock);
    this.uses = uses;
    this.clock = clock;
    feed.listen(cache::changed);
  }

  @Override
  public Caller authenticate(String credential, boolean bearer, String clientAddress) {
    OptionalInt wait = failures.waitSeconds(clientAddress);
    Caller caller =
        credential.length() > MAX_LENGTH
            ? null
            : caller(credential, bearer, clientAddress, wait.isPresent());
    if (caller == null) {
      throw refused(clientAddress, wait);
    }
    return caller;
  }

  private @Nullable Caller caller(
      String credential, boolean bearer, String address, boolean suspect) {
    boolean wellFormed = KeyText.isWellFormed(credential);
    if (!wellFormed && !bearer) {
      return null;
    }
    KeyHash hash = KeyHash.of(credential);
    if (bearer && tokens.isAdmin(hash)) {
      return new Caller.Admin();
    }
    if (bearer && credential.startsWith(ManageTokens.PREFIX)) {
      return tokens.use(hash, suspect, clock.instant()).map(OperatorToken::caller).orElse(null);
    }
    return wellFormed && isOwn(KeyText.cell(credential))
        ? cache.find(hash, address, suspect).map(known -> used(known, address)).orElse(null)
        : null;
  }

  private @Nullable Caller used(KeyCache.Known known, String address) {
    Instant now = clock.instant();
    if (!known.key().usableAt(now)) {
      return null;
    }
    if (!known.key().sources().permits(address)) {
      throw ProblemException.forbidden(
          "This API key is not accepted from the address "
              + address
              + "; its allowed_sources do not contain it.");
    }
    uses.note(known, now);
    return known.caller();
  }

  /**
   * Refuses a key of another cell, even if it is stored: a copy of that cell's database must not
   * decide for it. To a service that is not a cell, it is a key like any other unknown one.
   */
  private boolean isOwn(Cell named) {
    if (named.isNone() || named.equals(cell)) {
      return true;
    }
    if (cell.isNone()) {
      return false;
    }
    throw cell.misdirected("API key", named).toException();
  }

  /** A forged token fails its signature check, and an expired one is no guess: neither counts. */
  @Override
  public Caller session(String token, String clientAddress) {
    Optional<Caller> caller =
        token.length() > MAX_SESSION_LENGTH ? Optional.empty() : sessions.caller(token);
    return caller.orElseThrow(
        () -> ProblemException.unauthorized("The session has ended; sign in again."));
  }

  @Override
  public boolean isCsrfToken(Caller caller, String text) {
    return sessions.isCsrf(caller, text);
  }

  private ProblemException refused(String address, OptionalInt wait) {
    if (wait.isPresent()) {
      int seconds = wait.getAsInt();
      return new Problem.RateLimited(
              "Too many failed credentials from this address. Try again in " + seconds + " s.",
              seconds,
              Optional.of(failures.limit()))
          .toException();
    }
    failures.note(address);
    return ProblemException.unauthorized(
        "The credential is not valid: unknown, expired or revoked. Send an API key in"
            + " X-API-Key, and the admin token as Authorization: Bearer <token>.");
  }
}

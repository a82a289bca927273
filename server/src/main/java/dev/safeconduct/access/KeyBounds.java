package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.IsoInstant;
import java.time.Instant;
import java.util.Optional;

/**
 * The expiry and the addresses of the API key that asks for another one. A key that is valid for
 * longer, or from more addresses, would let a stolen key outlive its limits.
 *
 * @param own empty for callers without an API key, who have no such limits
 */
record KeyBounds(Optional<ApiKey> own) {
  static KeyBounds of(Caller caller, ApiKeys keys) {
    return new KeyBounds(
        caller instanceof Caller.Key key
            ? Optional.of(keys.find(key.org(), key.keyId()).orElseThrow(KeyBounds::gone))
            : Optional.empty());
  }

  private static ProblemException gone() {
    return ProblemException.forbidden("The key of this request does not exist any more.");
  }

  /**
   * Refuses an expiry and addresses beyond those of the caller's key.
   *
   * @throws dev.safeconduct.error.ProblemException 403 naming the member
   */
  void demandWithin(Optional<Instant> expiresAt, AllowedSources sources) {
    Optional<Instant> end = own.flatMap(ApiKey::expiresAt);
    if (end.isPresent() && expiresAt.filter(wished -> !wished.isAfter(end.get())).isEmpty()) {
      throw ProblemException.forbidden(
          "A key cannot outlive the key that asks for it: send an expires_at of at most "
              + IsoInstant.millis(end.get())
              + ".");
    }
    if (own.isPresent() && !own.get().sources().cover(sources)) {
      throw ProblemException.forbidden(
          "A key cannot be valid from more addresses than the key that asks for it: send "
              + AllowedSources.MEMBER
              + " within "
              + own.get().sources().stored().replace(" ", ", ")
              + ".");
    }
  }
}

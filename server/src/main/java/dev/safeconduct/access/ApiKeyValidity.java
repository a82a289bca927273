package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Checks that an authenticated caller is still valid. The check runs again after the feed's
 * sequence was read, so that a decision cannot commit for a key revoked meanwhile.
 */
public final class ApiKeyValidity {
  private final ApiKeys keys;
  private final OperatorTokens tokens;
  private final InstantSource clock;
  private final Cache<String, Optional<ApiKey>> known =
      Caffeine.newBuilder().maximumSize(100_000).build();

  public ApiKeyValidity(
      ApiKeys keys, OperatorTokens tokens, ChangeFeed changes, InstantSource clock) {
    this.keys = keys;
    this.tokens = tokens;
    this.clock = clock;
    changes.listen(change -> {
      if (change.subject().startsWith(Change.KEY)) {
        known.invalidate(change.subject().substring(Change.KEY.length()));
      }
    });
  }

  /**
   * What an allow rests on besides the caller's name.
   *
   * @param end when the credential expires
   * @param sources a digest of the addresses that may use the key
   */
  public record Bounds(Optional<Instant> end, Optional<String> sources) {}

  /** Returns the bounds of the caller's credential. */
  public Bounds bounds(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> {
        Optional<ApiKey> found = usable(key.org(), key.keyId());
        yield new Bounds(found.flatMap(ApiKey::expiresAt), found.map(ApiKey::sourcesDigest));
      }
      case Caller.Admin(_, Optional<Caller.Token> token) ->
          new Bounds(token.flatMap(one -> tokens.end(one.id())), Optional.empty());
      case Caller.Deploy deploy -> new Bounds(tokens.end(deploy.tokenId()), Optional.empty());
      case Caller.Anonymous _, Caller.Person _ -> new Bounds(Optional.empty(), Optional.empty());
    };
  }

  /**
   * Returns whether a recorded caller could still ask for a decision.
   *
   * @param client the caller's name; true for one without a key or token
   * @param sources the digest of {@link Bounds} at that time
   */
  public boolean isValid(OrgId org, String client, Optional<String> sources) {
    int end = client.indexOf(':') + 1;
    String id = client.substring(end);
    return switch (client.substring(0, end)) {
      case "key:" ->
          usable(org, id)
              .filter(key -> key.decidesAt(clock.instant()))
              .filter(key -> sources.isEmpty() || sources.get().equals(key.sourcesDigest()))
              .isPresent();
      case "token:" -> tokens.isUsable(id, clock.instant());
      default -> !client.equals("admin") || tokens.hasAdmin();
    };
  }

  private Optional<ApiKey> usable(OrgId org, String keyId) {
    Optional<ApiKey> found = known.get(keyId, id -> keys.find(org, id));
    return found == null
        ? Optional.empty()
        : found.filter(key -> key.org().equals(org) && key.usableAt(clock.instant()));
  }

  /** Returns whether the caller's credential is still accepted from the address. */
  public boolean isValid(Caller caller, String address) {
    boolean outside =
        caller instanceof Caller.Key key
            && usable(key.org(), key.keyId())
                .filter(found -> found.sources().permits(address))
                .isEmpty();
    return !outside && isValid(caller);
  }

  public boolean isValid(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> {
        Optional<ApiKey> found = usable(key.org(), key.keyId());
        yield found.isPresent() && found.get().scopes().containsAll(key.scopes());
      }
      // A session can only request a dry run, from the console.
      case Caller.Admin(Optional<Caller.Person> person, Optional<Caller.Token> token) ->
          person.isPresent()
              || token
                  .map(one -> tokens.isUsable(one.id(), clock.instant()))
                  .orElseGet(tokens::hasAdmin);
      case Caller.Deploy deploy -> tokens.isUsable(deploy.tokenId(), clock.instant());
      case Caller.Anonymous _, Caller.Person _ -> true;
    };
  }
}

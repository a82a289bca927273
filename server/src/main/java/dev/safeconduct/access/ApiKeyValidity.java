package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Checks that an authenticated caller is still valid. The check runs again after the feed's
 * sequence was read, so that a decision cannot commit for a key revoked meanwhile.
 */
public final class ApiKeyValidity {
  private final ApiKeys keys;
  private final InstantSource clock;
  private final Cache<String, Optional<ApiKey>> known =
      Caffeine.newBuilder().maximumSize(100_000).build();

  public ApiKeyValidity(ApiKeys keys, ChangeFeed changes, InstantSource clock) {
    this.keys = keys;
    this.clock = clock;
    changes.listen(change -> {
      if (change.subject().startsWith("key:")) {
        known.invalidate(change.subject());
      }
    });
  }

  /** Returns whether the organization's key with that id is usable now. */
  public boolean isValid(OrgId org, String keyId) {
    return usable(org, keyId).isPresent();
  }

  private Optional<ApiKey> usable(OrgId org, String keyId) {
    Optional<ApiKey> found = known.get(Change.key(keyId), _ -> keys.find(org, keyId));
    return found == null
        ? Optional.empty()
        : found.filter(key -> key.org().equals(org) && key.usableAt(clock.instant()));
  }

  public boolean isValid(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> {
        Optional<ApiKey> found = usable(key.org(), key.keyId());
        yield found.isPresent() && found.get().scopes().containsAll(key.scopes());
      }
      // A session can only request a dry run, from the console.
      case Caller.Admin _, Caller.Anonymous _, Caller.Person _ -> true;
    };
  }
}

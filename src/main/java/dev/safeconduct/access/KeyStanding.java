package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Whether a caller that was let in is still welcome, as fresh as the change feed: asked again after
 * the feed's sequence was read, so that a decision cannot commit for a key revoked meanwhile.
 */
public final class KeyStanding {
  private final ApiKeys keys;
  private final InstantSource clock;
  private final Cache<String, Optional<ApiKey>> known =
      Caffeine.newBuilder().maximumSize(100_000).build();

  public KeyStanding(ApiKeys keys, ChangeFeed changes, InstantSource clock) {
    this.keys = keys;
    this.clock = clock;
    changes.listen(change -> {
      if (change.subject().startsWith("key:")) {
        known.invalidate(change.subject());
      }
    });
  }

  /** Whether the organization's key of that id could be used now. */
  public boolean stands(OrgId org, String keyId) {
    return usable(org, keyId).isPresent();
  }

  private Optional<ApiKey> usable(OrgId org, String keyId) {
    Optional<ApiKey> found = known.get(Change.key(keyId), _ -> keys.find(org, keyId));
    return found == null
        ? Optional.empty()
        : found.filter(key -> key.org().equals(org) && key.usableAt(clock.instant()));
  }

  public boolean stands(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> {
        Optional<ApiKey> found = usable(key.org(), key.keyId());
        yield found.isPresent() && found.get().scopes().containsAll(key.scopes());
      }
      // No session comes to where decisions are made but for a dry run, from the console.
      case Caller.Admin _, Caller.Anonymous _, Caller.Person _ -> true;
    };
  }
}

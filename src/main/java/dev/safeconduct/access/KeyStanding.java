package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.identity.Caller;
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

  public boolean stands(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> {
        Optional<ApiKey> found =
            known.get(Change.key(key.keyId()), _ -> keys.find(key.org(), key.keyId()));
        yield found != null
            && found.isPresent()
            && found.get().usableAt(clock.instant())
            && found.get().scopes().containsAll(key.scopes());
      }
      // No session comes to where decisions are made but for a dry run, from the console.
      case Caller.Admin _, Caller.Anonymous _, Caller.Person _ -> true;
    };
  }
}

package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.util.Optional;

/** Hosted passports with their digests, as fresh as the change feed. */
public final class PassportCache {
  private static final int MOST = 100_000;

  private final Passports passports;
  private final Cache<String, Optional<Hosted>> known =
      Caffeine.newBuilder().maximumSize(MOST).build();

  public PassportCache(Passports passports, ChangeFeed changes) {
    this.passports = passports;
    changes.listen(change -> {
      if (change.subject().startsWith("agent:")) {
        known.invalidate(change.subject());
      }
    });
  }

  /** A passport and the digest of its document. */
  record Hosted(Passport passport, String digest) {}

  Optional<Hosted> find(AgentId id) {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    Optional<Hosted> found =
        known.get(
            Change.agent(id.value()),
            _ ->
                passports
                    .find(id)
                    .map(passport ->
                        new Hosted(passport, CanonicalJson.digest(passport.document()))));
    return found == null ? Optional.empty() : found;
  }
}

package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.util.Optional;

/** A cache of hosted passports with their digests, invalidated by the change feed. */
public final class PassportCache {
  private static final int MOST = 100_000;

  private final Passports passports;
  private final Cache<String, Optional<Hosted>> known =
      Caffeine.newBuilder().maximumSize(MOST).build();

  /** Ids by their folded form. */
  private final Cache<String, Optional<AgentId>> folded =
      Caffeine.newBuilder().maximumSize(MOST).build();

  public PassportCache(Passports passports, ChangeFeed changes) {
    this.passports = passports;
    changes.listen(change -> {
      if (change.subject().startsWith(Change.AGENT)) {
        known.invalidate(change.subject());
        folded.invalidate(AgentId.fold(change.subject().substring(Change.AGENT.length())));
      }
    });
  }

  /** A passport, its parsed form for decisions, and the digest of its document. */
  record Hosted(Passport passport, JudgedPassport judged, String digest) {
    private static Hosted of(Passport passport) {
      return new Hosted(
          passport,
          JudgedPassport.of(passport.document()),
          CanonicalJson.digest(passport.document()));
    }
  }

  Optional<Hosted> find(AgentId id) {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    Optional<Hosted> found =
        known.get(Change.agent(id.value()), _ -> passports.find(id).map(Hosted::of));
    return found == null ? Optional.empty() : found;
  }

  /** Returns the passport whose id the text spells, in whatever way. */
  Optional<Hosted> spelled(String text) {
    String plain = AgentId.fold(text);
    return AgentId.hosted(text)
        .flatMap(this::find)
        .or(() -> AgentId.hosted(plain).flatMap(this::find))
        .or(() -> {
          Optional<AgentId> id =
              folded.get(plain, key -> passports.findFolded(key).map(Passport::agentId));
          return id == null ? Optional.empty() : id.flatMap(this::find);
        });
  }
}

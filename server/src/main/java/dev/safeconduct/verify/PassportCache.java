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
import java.util.List;
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
        String id = change.subject().substring(Change.AGENT.length());
        known.invalidate(id);
        folded.invalidate(AgentId.fold(id));
      }
    });
  }

  /**
   * A passport for decisions.
   *
   * @param judged its parsed form
   * @param digest of its document
   * @param changes the keys whose change requires a new evaluation, without those of templates
   */
  record Hosted(Passport passport, JudgedPassport judged, String digest, List<String> changes) {
    private static Hosted of(Passport passport) {
      String owner = passport.owner().value();
      return new Hosted(
          passport,
          JudgedPassport.of(passport.document()),
          CanonicalJson.digest(passport.document()),
          List.of(
              Change.agent(passport.agentId().value()),
              Change.FEEDS,
              Change.halt(owner),
              Change.observe(owner)));
    }
  }

  /** Returns the number of passports, roughly. */
  public long size() {
    return known.estimatedSize();
  }

  Optional<Hosted> find(AgentId id) {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    Optional<Hosted> found = known.get(id.value(), _ -> passports.find(id).map(Hosted::of));
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

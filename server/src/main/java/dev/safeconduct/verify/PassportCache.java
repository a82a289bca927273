package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Interner;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.util.List;
import java.util.Optional;

/**
 * A cache of hosted passports with their digests, invalidated by the change feed. It holds their
 * documents as text, which takes a quarter of the memory of what is parsed: with the default heap,
 * 100,000 usual passports fit in.
 */
public final class PassportCache {
  /** Shares of the greatest heap, in percent. */
  private static final int TEXTS = 35;

  private static final int DOCUMENTS = 5;
  private static final int MOST_SPELLINGS = 100_000;

  /** What a passport takes beside its document. */
  private static final int PASSPORT_BYTES = 800;

  private final Passports passports;
  private final Cache<String, Optional<Hosted>> known;

  /** Ids by their folded form. */
  private final Cache<String, Optional<AgentId>> folded =
      Caffeine.newBuilder().maximumSize(MOST_SPELLINGS).build();

  /** The documents that were read recently. */
  private final Cache<Text, JsonObject> documents =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .weakKeys()
          .maximumWeight(SizeEstimate.ofHeap(DOCUMENTS))
          .<Text, JsonObject>weigher((_, document) -> Math.toIntExact(SizeEstimate.of(document)))
          .build();

  private final Interner<Owner> owners = Interner.newWeakInterner();

  public PassportCache(Passports passports, ChangeFeed changes) {
    this(passports, changes, SizeEstimate.ofHeap(TEXTS));
  }

  PassportCache(Passports passports, ChangeFeed changes, long maxBytes) {
    this.passports = passports;
    known =
        Caffeine.newBuilder()
            .executor(Runnable::run) // cheaper than to wake another thread
            .maximumWeight(maxBytes)
            .<String, Optional<Hosted>>weigher((_, found) ->
                PASSPORT_BYTES + found.map(hosted -> hosted.text().bytes().length).orElse(0))
            .build();
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
   */
  record Hosted(
      String agentId, Owner owner, JudgedPassport judged, String digest, String change, Text text) {
    OrgId org() {
      return owner.org();
    }

    /** The keys whose change requires a new evaluation, without those of templates. */
    List<String> changes() {
      return List.of(change, Change.FEEDS, owner.halt(), owner.observe());
    }
  }

  /**
   * The organization of many passports.
   *
   * @param halt the key of its halt
   * @param observe the key of its observe modes
   */
  private record Owner(OrgId org, String halt, String observe) {
    private static Owner of(OrgId org) {
      return new Owner(org, Change.halt(org.value()), Change.observe(org.value()));
    }
  }

  /** A document as JSON text. */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity
  private record Text(byte[] bytes) {
    private JsonObject parsed() {
      return Json.own(bytes);
    }
  }

  private Hosted hosted(Passport passport) {
    JsonObject document = passport.document();
    var text = new Text(Json.bytes(document));
    String id = passport.agentId().value();
    return new Hosted(
        id,
        owners.intern(Owner.of(passport.owner())),
        JudgedPassport.of(
            document, () -> documents.get(text, Text::parsed), text::parsed, text.bytes().length),
        CanonicalJson.digest(document),
        Change.agent(id),
        text);
  }

  /** Returns the number of passports, roughly. */
  public long size() {
    known.cleanUp();
    return known.estimatedSize();
  }

  Optional<Hosted> find(AgentId id) {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    Optional<Hosted> found = known.get(id.value(), _ -> passports.find(id).map(this::hosted));
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

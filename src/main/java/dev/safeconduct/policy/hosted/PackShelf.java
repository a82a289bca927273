package dev.safeconduct.policy.hosted;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The packs of organizations as this node judges by them: compiled once for each version, and which
 * version that is as fresh as the change feed.
 */
public final class PackShelf {
  private static final int MOST_PACKS = 8_000;

  private final HostedPacks packs;
  private final PackReader reader;
  private final ChangeFeed changes;

  /** The last change of each organization's packs that this node has heard of. */
  private final Map<String, Long> changed = new ConcurrentHashMap<>();

  private final Cache<Place, Known> known =
      Caffeine.newBuilder().maximumSize(2L * MOST_PACKS).build();

  /** By digest: what a version says never changes. */
  private final Cache<String, Compiled> compiled =
      Caffeine.newBuilder().maximumSize(MOST_PACKS).build();

  private volatile Consumer<Shelved> listener = _ -> {};

  public PackShelf(HostedPacks packs, PackReader reader, ChangeFeed changes) {
    this.packs = packs;
    this.reader = reader;
    this.changes = changes;
    changes.listen(change -> {
      if (change.subject().startsWith(Change.PACKS)) {
        String org = change.subject().substring(Change.PACKS.length());
        changed.merge(org, change.sequence(), Math::max);
      }
    });
  }

  /**
   * A pack as it stands on the shelf.
   *
   * @param pack the active version; one that cannot be used when there is none
   * @param faults why it cannot be used
   * @param shadow the version that is tried beside it
   */
  public record Shelved(OrgId org, PolicyPack pack, List<String> faults, Optional<Trial> shadow) {
    public Shelved {
      faults = List.copyOf(faults);
    }
  }

  /** A version that is tried; its pack is absent when it does not compile here. */
  public record Trial(int version, String digest, Optional<PolicyPack> pack) {}

  private record Place(String org, String id) {}

  /** {@code asOf}: the change feed's sequence before the store was asked. */
  private record Known(long asOf, Optional<Shelved> shelved) {}

  private record Compiled(PolicyPack pack, List<String> faults) {}

  /** Tells the listener of each pack that is read from the store. */
  void onRead(Consumer<Shelved> told) {
    listener = told;
  }

  /** The organization's pack of that id; empty when it has none. */
  public Optional<Shelved> find(OrgId org, String id) {
    Optional<PolicyId> policyId = PolicyId.parse(id);
    if (policyId.isEmpty()) {
      return Optional.empty();
    }
    Place place = new Place(org.value(), id);
    Known before = known.getIfPresent(place);
    // An entry is good as long as no change came after it was read, also one that came while it
    // was being read.
    if (before != null && before.asOf() >= changed.getOrDefault(org.value(), 0L)) {
      return before.shelved();
    }
    long asOf = changes.sequence();
    Optional<Shelved> read = packs.find(org, policyId.get()).map(this::shelve);
    known.put(place, new Known(asOf, read));
    read.ifPresent(listener);
    return read;
  }

  private Shelved shelve(HostedPack pack) {
    Optional<Trial> trial =
        pack.active().isEmpty()
            ? Optional.empty()
            : pack.shadow()
                .map(version -> {
                  Compiled tried = compiled(pack, version);
                  return new Trial(
                      version.number(),
                      version.digest(),
                      tried.faults().isEmpty() ? Optional.of(tried.pack()) : Optional.empty());
                });
    if (pack.active().isEmpty()) {
      PackVersion latest = pack.latest();
      String why =
          pack.status().equals("deprecated")
              ? "The policy pack is withdrawn; activate another version of it."
              : "No version of the policy pack is active; activate one.";
      return new Shelved(pack.org(), compiled(pack, latest).pack(), List.of(why), Optional.empty());
    }
    Compiled active = compiled(pack, pack.active().get());
    return new Shelved(pack.org(), active.pack(), active.faults(), trial);
  }

  private Compiled compiled(HostedPack pack, PackVersion version) {
    Compiled found = compiled.get(version.digest(), _ -> compile(pack, version));
    return java.util.Objects.requireNonNull(found);
  }

  private Compiled compile(HostedPack pack, PackVersion version) {
    @Nullable JsonObject document =
        packs.document(pack.org(), pack.id(), version.number()).orElse(null);
    if (document == null) {
      throw new IllegalStateException("a published version has no document");
    }
    try {
      return new Compiled(reader.compile(document).withoutDocument(), List.of());
    } catch (PackFault e) {
      return new Compiled(PolicyPack.unusable(pack.id(), document).withoutDocument(), e.lines());
    }
  }
}

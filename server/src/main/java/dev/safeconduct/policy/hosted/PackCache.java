package dev.safeconduct.policy.hosted;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The packs of organizations as this node evaluates them. Each version is compiled once. Which
 * version is active is as current as the change feed.
 */
public final class PackCache {
  private static final int MOST_PACKS = 8_000;

  /** The share of the greatest heap that compiled packs take, in percent; lists take twice it. */
  private static final int SHARE = 5;

  /** What a list takes beside its packs. */
  private static final int LIST_BYTES = 1_000;

  private static final int PAGE = 200;

  private final HostedPacks packs;
  private final PackReader reader;
  private final ChangeFeed changes;

  /** The last change of each organization's packs that this node has received. */
  private final Map<String, Long> changed = new ConcurrentHashMap<>();

  private final Cache<Place, Known> known =
      Caffeine.newBuilder().maximumSize(2L * MOST_PACKS).build();

  private final Cache<OrgId, Active> active;

  /**
   * By digest, because the content of a version never changes. Only {@link #active} keeps compiled
   * packs too, else the bound would be none.
   */
  private final Cache<String, Compiled> compiled;

  private volatile Consumer<CachedPack> listener = _ -> {};

  public PackCache(HostedPacks packs, PackReader reader, ChangeFeed changes) {
    this(packs, reader, changes, SizeEstimate.ofHeap(SHARE));
  }

  PackCache(HostedPacks packs, PackReader reader, ChangeFeed changes, long maxBytes) {
    this.packs = packs;
    active =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(2 * maxBytes)
            .<OrgId, Active>weigher((_, all) -> all.size() + LIST_BYTES)
            .build();
    compiled =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(maxBytes)
            .<String, Compiled>weigher((_, version) -> version.pack().size())
            .build();
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
   * A pack as compiled on this node.
   *
   * @param pack the active version; an unusable one if there is none
   * @param faults why it is unusable
   * @param shadow the version that is evaluated as a trial
   */
  public record CachedPack(
      OrgId org, PolicyPack pack, List<String> faults, Optional<ShadowVersion> shadow) {
    public CachedPack {
      faults = List.copyOf(faults);
    }
  }

  /** A trial version; its pack is absent if it does not compile on this node. */
  public record ShadowVersion(int version, String digest, Optional<PolicyPack> pack) {}

  private record Place(String org, String id) {}

  /** {@code asOf}: the change feed's sequence before the read from the store. */
  private record Known(long asOf, Optional<HostedPack> pack) {}

  /** {@code asOf}: as in {@link Known}. */
  private record Active(long asOf, List<PolicyPack> packs, int size) {}

  private record Compiled(PolicyPack pack, List<String> faults) {}

  /** Registers a listener that is called for each pack read from the store. */
  void onRead(Consumer<CachedPack> onRead) {
    listener = onRead;
  }

  /** Returns the organization's pack with that id; empty if there is none. */
  public Optional<CachedPack> find(OrgId org, String id) {
    Optional<PolicyId> policyId = PolicyId.parse(id);
    if (policyId.isEmpty()) {
      return Optional.empty();
    }
    Place place = new Place(org.value(), id);
    Known before = known.getIfPresent(place);
    if (before != null && isCurrent(before.asOf(), org)) {
      return before.pack().map(this::cached);
    }
    long asOf = changes.sequence();
    Optional<HostedPack> read = packs.find(org, policyId.get());
    known.put(place, new Known(asOf, read));
    Optional<CachedPack> found = read.map(this::cached);
    found.ifPresent(listener);
    return found;
  }

  /**
   * Whether an entry is valid: while no change arrives after its read began. This includes changes
   * that arrive during the read.
   */
  private boolean isCurrent(long asOf, OrgId org) {
    return asOf >= changed.getOrDefault(org.value(), 0L);
  }

  /** Returns the active versions of the organization's packs, by id. */
  public List<PolicyPack> active(OrgId org) {
    Active before = active.getIfPresent(org);
    if (before != null && isCurrent(before.asOf(), org)) {
      return before.packs();
    }
    Active read = read(org);
    active.put(org, read);
    return read.packs();
  }

  /** Reads the active versions from the store. */
  List<PolicyPack> readActive(OrgId org) {
    return read(org).packs();
  }

  private Active read(OrgId org) {
    long asOf = changes.sequence();
    var found = new ArrayList<PolicyPack>();
    long size = 0;
    Optional<String> after = Optional.empty();
    List<HostedPack> page;
    do {
      page = packs.list(org, after, PAGE);
      for (HostedPack pack : page) {
        if (pack.active().isPresent()) {
          PolicyPack version = version(pack, pack.active().get());
          found.add(version);
          size += version.size();
        }
        after = Optional.of(pack.id().value());
      }
    } while (page.size() == PAGE);
    return new Active(asOf, List.copyOf(found), Math.toIntExact(Math.min(size, 1 << 30)));
  }

  PolicyPack version(HostedPack pack, PackVersion version) {
    return compiled(pack, version).pack();
  }

  private CachedPack cached(HostedPack pack) {
    Optional<ShadowVersion> trial =
        pack.active().isEmpty()
            ? Optional.empty()
            : pack.shadow()
                .map(version -> {
                  Compiled tried = compiled(pack, version);
                  return new ShadowVersion(
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
      return new CachedPack(
          pack.org(), compiled(pack, latest).pack(), List.of(why), Optional.empty());
    }
    Compiled active = compiled(pack, pack.active().get());
    return new CachedPack(pack.org(), active.pack(), active.faults(), trial);
  }

  /** Returns the number of compiled versions, roughly. */
  public long size() {
    compiled.cleanUp();
    return compiled.estimatedSize();
  }

  private Compiled compiled(HostedPack pack, PackVersion version) {
    Compiled found = compiled.get(version.digest(), _ -> compile(pack, version));
    return Objects.requireNonNull(found);
  }

  private Compiled compile(HostedPack pack, PackVersion version) {
    @Nullable JsonObject document =
        packs.document(pack.org(), pack.id(), version.number()).orElse(null);
    if (document == null) {
      throw new IllegalStateException("a published version has no document");
    }
    try {
      return compiled(reader.compile(document), List.of());
    } catch (PackFault e) {
      return compiled(PolicyPack.unusable(pack.id(), document), e.lines());
    }
  }

  private static Compiled compiled(PolicyPack pack, List<String> faults) {
    return new Compiled(pack.withoutDocument(), faults);
  }
}

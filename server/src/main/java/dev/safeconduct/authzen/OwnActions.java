package dev.safeconduct.authzen;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.Obligation;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.hosted.HostedPack;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.PackVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The actions of organizations' active packs, cached and invalidated by the change feed. */
public final class OwnActions {
  private static final int PAGE = 200;
  private static final int MOST_ORGANIZATIONS = 1_000;
  private static final int MOST_VERSIONS = 8_000;

  private final HostedPacks packs;
  private final ChangeFeed changes;

  /** The last change of each organization's packs that this node has received. */
  private final Map<String, Long> changed = new ConcurrentHashMap<>();

  private final Cache<String, Known> known =
      Caffeine.newBuilder().maximumSize(MOST_ORGANIZATIONS).build();

  /** Terms by digest. The terms of a version never change. */
  private final Cache<String, PackTerms> terms =
      Caffeine.newBuilder().maximumSize(MOST_VERSIONS).build();

  public OwnActions(HostedPacks packs, ChangeFeed changes) {
    this.packs = packs;
    this.changes = changes;
    changes.listen(change -> {
      if (change.subject().startsWith(Change.PACKS)) {
        String org = change.subject().substring(Change.PACKS.length());
        changed.merge(org, change.sequence(), Math::max);
      }
    });
  }

  /** {@code asOf}: the change feed's sequence before the store was asked. */
  private record Known(long asOf, List<PackTerms> packs) {}

  /** Returns the organization's active packs, by id. */
  List<PackTerms> of(OrgId org) {
    Known before = known.getIfPresent(org.value());
    if (before != null && before.asOf() >= changed.getOrDefault(org.value(), 0L)) {
      return before.packs();
    }
    long asOf = changes.sequence();
    var active = new ArrayList<PackTerms>();
    Optional<String> after = Optional.empty();
    List<HostedPack> page;
    do {
      page = packs.list(org, after, PAGE);
      for (HostedPack pack : page) {
        pack.active().ifPresent(version -> active.add(terms(pack, version)));
        after = Optional.of(pack.id().value());
      }
    } while (page.size() == PAGE);
    Known read = new Known(asOf, List.copyOf(active));
    known.put(org.value(), read);
    return read.packs();
  }

  private PackTerms terms(HostedPack pack, PackVersion version) {
    return Objects.requireNonNull(
        terms.get(version.digest(), digest -> read(pack, version, digest)));
  }

  private PackTerms read(HostedPack pack, PackVersion version, String digest) {
    JsonObject document =
        packs
            .document(pack.org(), pack.id(), version.number())
            .orElseThrow(() -> new IllegalStateException("a published version has no document"));
    return PackTerms.of(pack.id(), digest, document);
  }

  /**
   * The capabilities and the model of a pack, parsed from its document.
   *
   * @param capabilities the capabilities that admit the pack
   * @param model the subjects, actions and resources that the pack lists, if any
   */
  record PackTerms(
      PolicyId id,
      String digest,
      List<String> capabilities,
      Optional<AccessModel> model,
      List<Obligation> obligations) {
    static PackTerms of(PolicyId id, String digest, JsonObject document) {
      // Faults were reported when the pack was published.
      return new PackTerms(
          id,
          digest,
          document.array("requires_capabilities").map(JsonArray::texts).orElse(List.of()),
          AccessModel.read(document, _ -> {}),
          List.copyOf(Obligation.read(document, _ -> {})));
    }
  }
}

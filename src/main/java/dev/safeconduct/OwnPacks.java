package dev.safeconduct;

import dev.safeconduct.access.Directory;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.HostedPolicyEndpoints;
import dev.safeconduct.policy.hosted.PackShelf;
import dev.safeconduct.policy.hosted.PackWatch;
import dev.safeconduct.policy.hosted.PublishPack;
import dev.safeconduct.policy.hosted.UsePack;
import dev.safeconduct.store.Store;
import java.time.InstantSource;

/** The parts that serve the packs organizations write for themselves, wired. */
final class OwnPacks implements AutoCloseable {
  /** The path's word for a pack in the body; none can be called so. */
  private static final String IN_BODY = "IN_BODY";

  private final PackShelf shelf;
  private final PackWatch watch;
  private final HostedPolicyEndpoints endpoints;

  OwnPacks(
      Store store,
      PolicyCatalog catalog,
      PackReader reader,
      Directory directory,
      Recorder recorder,
      InstantSource clock) {
    HostedPacks packs = store.hostedPacks();
    this.shelf = new PackShelf(packs, reader, store.changes());
    this.watch =
        new PackWatch(
            "node_" + recorder.nextHex(), packs, shelf, store.packNodes(), store.changes(), clock);
    this.endpoints =
        new HostedPolicyEndpoints(
            packs,
            store.packNodes(),
            directory,
            new PublishPack(
                packs,
                reader,
                id -> id.equals(IN_BODY) || catalog.find(Dialects.policyId(id)).isPresent(),
                recorder),
            new UsePack(packs, recorder),
            clock);
  }

  PackShelf shelf() {
    return shelf;
  }

  HostedPolicyEndpoints endpoints() {
    return endpoints;
  }

  /** Begins to follow what other nodes change. */
  void start() {
    watch.start();
  }

  @Override
  public void close() {
    watch.close();
  }
}

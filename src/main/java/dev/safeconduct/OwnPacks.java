package dev.safeconduct;

import dev.safeconduct.access.Directory;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.HostedPolicyEndpoints;
import dev.safeconduct.policy.hosted.PackShelf;
import dev.safeconduct.policy.hosted.PackWatch;
import dev.safeconduct.policy.hosted.PublishPack;
import dev.safeconduct.policy.hosted.UsePack;
import dev.safeconduct.shadow.ShadowEndpoints;
import dev.safeconduct.shadow.ShadowRun;
import dev.safeconduct.shadow.Trial;
import dev.safeconduct.store.Store;
import java.time.InstantSource;
import java.util.function.Consumer;

/** The parts that serve the packs organizations write for themselves, wired. */
final class OwnPacks implements AutoCloseable {
  /** The path's word for a pack in the body; none can be called so. */
  private static final String IN_BODY = "IN_BODY";

  private final PackShelf shelf;
  private final PackWatch watch;
  private final ShadowRun shadow;
  private final HostedPolicyEndpoints endpoints;
  private final ShadowEndpoints shadowEndpoints;

  OwnPacks(
      Store store,
      PolicyCatalog catalog,
      PackReader reader,
      Directory directory,
      Recorder recorder,
      Redaction redaction,
      InstantSource clock) {
    HostedPacks packs = store.hostedPacks();
    this.shelf = new PackShelf(packs, reader, store.changes());
    String node = "node_" + recorder.nextHex();
    this.shadow = new ShadowRun(node, store.ledger(), store.trials(), redaction::text);
    this.shadowEndpoints = new ShadowEndpoints(packs, store.trials(), directory, clock);
    this.watch = new PackWatch(node, packs, shelf, store.packNodes(), store.changes(), clock);
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

  ShadowEndpoints shadowEndpoints() {
    return shadowEndpoints;
  }

  /** Takes decisions that a tried version is to be held against. */
  Consumer<Trial> trials() {
    return shadow::offer;
  }

  /** Begins to follow what other nodes change. */
  void start() {
    watch.start();
    shadow.start();
  }

  @Override
  public void close() {
    shadow.close();
    watch.close();
  }
}

package dev.safeconduct.app;

import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.feed.FeedCache;
import dev.safeconduct.feed.FeedStore;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyEndpoints;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.HostedPolicyEndpoints;
import dev.safeconduct.policy.hosted.PackCache;
import dev.safeconduct.policy.hosted.PackNodes;
import dev.safeconduct.policy.hosted.PackResources;
import dev.safeconduct.policy.hosted.PackWatch;
import dev.safeconduct.policy.hosted.PublishPack;
import dev.safeconduct.policy.hosted.UsePack;
import dev.safeconduct.verify.Evaluator;
import java.util.List;

/** Built-in and hosted policy packs, and the evaluator. */
record PolicyModule(
    PolicyCatalog catalog,
    PackReader reader,
    PackCache hosted,
    PolicyDecisionPoint decisionPoint,
    Evaluator evaluator,
    PackWatch watch,
    ResourceKind resources,
    List<Route> routes)
    implements FeatureModule {
  /** The path's value for a pack in the body; no pack can have this id. */
  private static final String IN_BODY = "IN_BODY";

  static PolicyModule of(Platform platform, PolicyCatalog catalog) {
    Storage store = platform.store();
    HostedPacks packs = new HostedPacks(store);
    PackReader reader = BuiltInPacks.reader();
    var hosted = new PackCache(packs, reader, store.changes());
    String node = "node_" + platform.recorder().nextHex();
    var publish =
        new PublishPack(
            packs,
            reader,
            id -> id.equals(IN_BODY) || catalog.find(Dialects.policyId(id)).isPresent(),
            platform.recorder());
    var use = new UsePack(packs, hosted, catalog, platform.recorder());
    var decisionPoint =
        new PolicyDecisionPoint(Validators.all(), new PolicyFaults(platform.metrics()));
    return new PolicyModule(
        catalog,
        reader,
        hosted,
        decisionPoint,
        new Evaluator(decisionPoint, new FeedCache(new FeedStore(store), store.changes())::feeds),
        new PackWatch(node, packs, hosted, new PackNodes(store), store.changes(), platform.clock()),
        new PackResources(packs, publish, use, platform.recorder()),
        FeatureModule.all(
            new PolicyEndpoints(catalog, Dialects::policyId).routes(),
            new HostedPolicyEndpoints(
                    packs,
                    new PackNodes(store),
                    platform.directory(),
                    publish,
                    use,
                    platform.clock())
                .routes()));
  }

  /** Returns this process's name among the nodes that share the database. */
  String node() {
    return watch.node();
  }

  @Override
  public void start() {
    watch.start();
  }

  @Override
  public void close() {
    watch.close();
  }
}

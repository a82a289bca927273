package dev.safeconduct.app;

import dev.safeconduct.http.Route;
import dev.safeconduct.simulate.ShadowEndpoints;
import dev.safeconduct.simulate.ShadowRun;
import dev.safeconduct.verify.UsageLookup;
import java.util.List;

/** Evaluates a version of a policy on live decisions without effect. */
record SimulateModule(ShadowRun shadow, List<Route> routes) implements FeatureModule {
  static SimulateModule of(Platform platform, PolicyModule policies) {
    Store store = platform.store();
    return new SimulateModule(
        new ShadowRun(
            policies.node(),
            policies.evaluator(),
            UsageLookup.of(store.ledger()),
            store.trials(),
            platform.redaction()::text),
        new ShadowEndpoints(
                store.hostedPacks(), store.trials(), platform.directory(), platform.clock())
            .routes());
  }

  @Override
  public void start() {
    shadow.start();
  }

  @Override
  public void close() {
    shadow.close();
  }
}

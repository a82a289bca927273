package dev.safeconduct.app;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.simulate.ShadowEndpoints;
import dev.safeconduct.simulate.ShadowResults;
import dev.safeconduct.simulate.ShadowRun;
import dev.safeconduct.simulate.suggest.FleetEndpoint;
import dev.safeconduct.simulate.suggest.Suggest;
import dev.safeconduct.simulate.suggest.SuggestEndpoints;
import dev.safeconduct.simulate.suggest.UnusedPrivilege;
import dev.safeconduct.verify.UsageLookup;
import java.util.List;

/** Evaluates a version of a policy on live decisions without effect; suggests from past ones. */
record SimulateModule(ShadowRun shadow, UnusedPrivilege privilege, List<Route> routes)
    implements FeatureModule {
  static SimulateModule of(Platform platform, PolicyModule policies) {
    Storage store = platform.store();
    Redaction redaction = platform.redaction();
    var privilege = new UnusedPrivilege(store, policies.catalog(), platform.clock());
    return new SimulateModule(
        new ShadowRun(
            policies.node(),
            policies.evaluator(),
            UsageLookup.of(new Ledger(store)),
            new ShadowResults(store),
            input ->
                redaction.of(input.context().context(), input.policy().pack().contextSchema())
                    ::text),
        privilege,
        FeatureModule.all(
            new ShadowEndpoints(
                    new HostedPacks(store),
                    new ShadowResults(store),
                    platform.directory(),
                    platform.clock())
                .routes(),
            new SuggestEndpoints(
                    new FindPassport(new Passports(store)),
                    new Suggest(
                        store.reads(),
                        policies.catalog(),
                        policies.reader(),
                        policies.decisionPoint()),
                    platform.clock())
                .routes(),
            new FleetEndpoint(
                    privilege,
                    (rights, named) ->
                        named.isEmpty()
                            ? platform.organization().of(rights)
                            : platform.organization().named(rights, named))
                .routes()));
  }

  @Override
  public void start() {
    shadow.start();
    privilege.start();
  }

  @Override
  public void close() {
    shadow.close();
    privilege.close();
  }
}

package dev.safeconduct.app;

import dev.safeconduct.authzen.ActionPacks;
import dev.safeconduct.authzen.AuthzenEndpoints;
import dev.safeconduct.authzen.Evaluate;
import dev.safeconduct.authzen.MetadataEndpoint;
import dev.safeconduct.authzen.OwnActions;
import dev.safeconduct.authzen.Search;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.http.Route;
import dev.safeconduct.signing.Purpose;
import java.util.List;

/** The OpenID AuthZEN API. */
record AuthzenModule(List<Route> routes) implements FeatureModule {
  static AuthzenModule of(Platform platform, PolicyModule policies, VerifyModule verify) {
    Store store = platform.store();
    var packs =
        new ActionPacks(
            policies.catalog(),
            Dialects::policyId,
            new OwnActions(store.hostedPacks(), store.changes()));
    return new AuthzenModule(
        FeatureModule.all(
            new AuthzenEndpoints(
                    new Evaluate(packs, verify.verify()),
                    new Search(packs, verify.dryRun(), store.passports()),
                    platform.organization())
                .routes(),
            new MetadataEndpoint(
                    platform.config().http().baseUrl(),
                    platform.keys().ring().signers(Purpose.METADATA),
                    platform.clock().instant())
                .routes()));
  }
}

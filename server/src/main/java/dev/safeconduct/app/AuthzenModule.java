package dev.safeconduct.app;

import dev.safeconduct.authzen.ActionPacks;
import dev.safeconduct.authzen.AuthzenEndpoints;
import dev.safeconduct.authzen.Evaluate;
import dev.safeconduct.authzen.MetadataEndpoint;
import dev.safeconduct.authzen.Search;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.signing.Purpose;
import java.util.List;

/** The OpenID AuthZEN API. */
record AuthzenModule(List<Route> routes) implements FeatureModule {
  static AuthzenModule of(Platform platform, PolicyModule policies, VerifyModule verify) {
    Storage store = platform.store();
    var packs = new ActionPacks(policies.catalog(), Dialects::policyId, policies.hosted());
    return new AuthzenModule(
        FeatureModule.all(
            new AuthzenEndpoints(
                    new Evaluate(packs, verify.verify()),
                    new Search(packs, verify.dryRun(), new Passports(store)),
                    platform.organization())
                .routes(),
            new MetadataEndpoint(
                    platform.config().http().baseUrl(),
                    platform.keys().ring().signers(Purpose.METADATA),
                    platform.clock().instant())
                .routes()));
  }
}

package dev.safeconduct;

import dev.safeconduct.authzen.ActionPacks;
import dev.safeconduct.authzen.AuthzenEndpoints;
import dev.safeconduct.authzen.Evaluate;
import dev.safeconduct.authzen.MetadataEndpoint;
import dev.safeconduct.authzen.OwnActions;
import dev.safeconduct.authzen.Search;
import dev.safeconduct.http.Route;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.VerifyAction;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The parts of the OpenID AuthZEN API, wired. */
final class AccessApi {
  private AccessApi() {}

  static List<Route> routes(
      Store store,
      PolicyCatalog catalog,
      VerifyAction verify,
      URI baseUrl,
      KeyRing keys,
      InstantSource clock) {
    var routes = new ArrayList<Route>(endpoints(store, catalog, verify).routes());
    routes.addAll(
        new MetadataEndpoint(baseUrl, keys.signers(Purpose.METADATA), clock.instant()).routes());
    return routes;
  }

  private static AuthzenEndpoints endpoints(
      Store store, PolicyCatalog catalog, VerifyAction verify) {
    ActionPacks packs =
        new ActionPacks(catalog, new OwnActions(store.hostedPacks(), store.changes()));
    return new AuthzenEndpoints(
        new Evaluate(packs, verify),
        new Search(packs, verify.forecast(), store.passports()),
        new ActingOrganization(store.organizations()));
  }
}

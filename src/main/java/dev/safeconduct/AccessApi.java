package dev.safeconduct;

import dev.safeconduct.authzen.ActionPacks;
import dev.safeconduct.authzen.AuthzenEndpoints;
import dev.safeconduct.authzen.Evaluate;
import dev.safeconduct.authzen.OwnActions;
import dev.safeconduct.authzen.Search;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.VerifyAction;

/** The parts of the OpenID AuthZEN API, wired. */
final class AccessApi {
  private AccessApi() {}

  static AuthzenEndpoints endpoints(Store store, PolicyCatalog catalog, VerifyAction verify) {
    ActionPacks packs =
        new ActionPacks(catalog, new OwnActions(store.hostedPacks(), store.changes()));
    return new AuthzenEndpoints(
        new Evaluate(packs, verify),
        new Search(packs, verify.forecast(), store.passports()),
        new ActingOrganization(store.organizations()));
  }
}

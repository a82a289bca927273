package dev.safeconduct;

import dev.safeconduct.access.KeyStanding;
import dev.safeconduct.access.SignedIn;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.http.Route;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.revocation.RevocationEndpoints;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.KeySetEndpoints;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.rotation.SigningKeyEndpoints;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.DecisionTokens;
import dev.safeconduct.verify.TokenEndpoints;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Decision tokens, what revokes them, and the keys that sign: a part of {@link Service}. */
record TokenParts(List<Route> routes, RevocationEndpoints revocations) {
  static TokenParts of(
      ServiceConfig config,
      InstantSource clock,
      Store store,
      KeyRing keys,
      Recorder recorder,
      VerifyParts judging,
      SignedIn sessions) {
    store
        .changes()
        .listen(change -> {
          if (change.subject().equals(Change.SIGNING_KEYS)) {
            keys.forget();
          }
        });
    var organization = new ActingOrganization(store.organizations());
    var standing = new KeyStanding(store.apiKeys(), store.changes(), clock);
    var revocations =
        new RevocationEndpoints(
            store.changes(),
            store.changeHistory(),
            store.passports(),
            store.apiKeys(),
            organization,
            standing,
            sessions,
            store::hears,
            clock);
    var tokens =
        new DecisionTokens(
            keys.signers(Purpose.DECISION_TOKEN),
            keys.verifier(Purpose.DECISION_TOKEN),
            judging.subjects(),
            judging.packs(),
            standing,
            config.http().baseUrl().toString(),
            clock);
    var routes = new ArrayList<Route>();
    routes.addAll(
        new TokenEndpoints(judging.verify(), tokens, config.http().baseUrl().toString()).routes());
    routes.addAll(revocations.routes());
    routes.addAll(new KeySetEndpoints(keys).routes());
    routes.addAll(
        new SigningKeyEndpoints(keys, store.signingKeys(), recorder, organization).routes());
    return new TokenParts(routes, revocations);
  }
}

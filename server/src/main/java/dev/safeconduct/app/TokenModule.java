package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeyValidity;
import dev.safeconduct.audit.SigningKeyEndpoints;
import dev.safeconduct.http.Route;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.KeySetEndpoints;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.verify.token.DecisionTokens;
import dev.safeconduct.verify.token.RevocationEndpoints;
import dev.safeconduct.verify.token.TokenEndpoints;
import java.util.List;

/** Decision tokens, the stream of revocations, and the signing keys. */
record TokenModule(RevocationEndpoints revocations, List<Route> routes) implements FeatureModule {
  static TokenModule of(Platform platform, PeopleModule people, VerifyModule verify) {
    Store store = platform.store();
    KeyRing keys = platform.keys().ring();
    var validity = new ApiKeyValidity(store.apiKeys(), store.changes(), platform.clock());
    var revocations =
        new RevocationEndpoints(
            store.changes(),
            store.changeHistory(),
            store.passports(),
            store.apiKeys(),
            platform.organization(),
            validity,
            people.sessions(),
            store::hears,
            platform.clock());
    var tokens =
        new DecisionTokens(
            keys.signers(Purpose.DECISION_TOKEN),
            keys.verifier(Purpose.DECISION_TOKEN),
            verify.subjects(),
            verify.packs(),
            validity,
            platform.baseUrl(),
            platform.clock());
    return new TokenModule(
        revocations,
        FeatureModule.all(
            new TokenEndpoints(verify.verify(), tokens, platform.baseUrl()).routes(),
            revocations.routes(),
            new KeySetEndpoints(keys).routes(),
            new SigningKeyEndpoints(
                    keys, store.signingKeys(), platform.recorder(), platform.organization())
                .routes()));
  }

  @Override
  public void stop() {
    revocations.close();
  }
}

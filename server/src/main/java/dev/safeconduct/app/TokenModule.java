package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeyValidity;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.SigningKeyEndpoints;
import dev.safeconduct.audit.SigningKeys;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.KeySetEndpoints;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.verify.token.DecisionTokens;
import dev.safeconduct.verify.token.RevocationEndpoints;
import dev.safeconduct.verify.token.Revocations;
import dev.safeconduct.verify.token.TokenEndpoints;
import java.util.List;

/** Decision tokens, the stream of revocations, and the signing keys. */
record TokenModule(RevocationEndpoints revocations, List<Route> routes) implements FeatureModule {
  static TokenModule of(
      Platform platform, AccessModule access, PeopleModule people, VerifyModule verify) {
    Storage store = platform.store();
    KeyRing keys = platform.keys().ring();
    var validity =
        new ApiKeyValidity(new ApiKeys(store), access.tokens(), store.changes(), platform.clock());
    var revocations =
        new RevocationEndpoints(
            store.changes(),
            store.reads(),
            new Revocations(
                new Passports(store), new ApiKeys(store), verify.halts(), platform.clock()),
            platform.organization(),
            validity,
            people.sessions(),
            store::hears);
    var tokens =
        new DecisionTokens(
            keys.signers(Purpose.DECISION_TOKEN),
            keys.verifier(Purpose.DECISION_TOKEN),
            verify.subjects(),
            verify.packs(),
            validity,
            verify.halts(),
            platform.baseUrl(),
            platform.clock());
    return new TokenModule(
        revocations,
        FeatureModule.all(
            new TokenEndpoints(verify.verify(), tokens, platform.baseUrl()).routes(),
            revocations.routes(),
            new KeySetEndpoints(keys).routes(),
            new SigningKeyEndpoints(
                    keys, new SigningKeys(store), platform.recorder(), platform.organization())
                .routes()));
  }

  @Override
  public void stop() {
    revocations.close();
  }
}

package dev.safeconduct;

import dev.safeconduct.access.DecisionTokens;
import dev.safeconduct.compat.OlderEndpoints;
import dev.safeconduct.http.Route;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.TokenEndpoints;
import dev.safeconduct.verify.VerifyAction;
import java.time.InstantSource;
import java.util.List;

/** What open clients ask for beside decisions: tokens of them, and older addresses. */
final class ClientApi {
  private ClientApi() {}

  static List<Route> tokens(
      VerifyAction verify,
      SubjectResolver subjects,
      KeyRing keys,
      ServiceConfig config,
      InstantSource clock) {
    DecisionTokens tokens =
        new DecisionTokens(
            keys.signer(Purpose.DECISION_TOKEN),
            keys.verifier(Purpose.DECISION_TOKEN),
            config.http().baseUrl().toString(),
            clock);
    return new TokenEndpoints(verify, subjects, tokens, clock).routes();
  }

  /** {@code served}: what the older addresses may lead to. */
  static List<Route> older(List<Route> served, Store store) {
    return new OlderEndpoints(served, store.passports()).routes();
  }
}

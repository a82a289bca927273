package dev.safeconduct;

import dev.safeconduct.access.KeyStanding;
import dev.safeconduct.audit.RecordIds;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.feed.FeedCache;
import dev.safeconduct.http.Route;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.ApprovalGate;
import dev.safeconduct.verify.BatchEndpoint;
import dev.safeconduct.verify.DecisionCount;
import dev.safeconduct.verify.DecisionProofs;
import dev.safeconduct.verify.IdempotencyClaims;
import dev.safeconduct.verify.PackResolver;
import dev.safeconduct.verify.PassportCache;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyAll;
import dev.safeconduct.verify.VerifyEndpoint;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** What judges actions, wired: a part of {@link Service}, which would be too long with it. */
record VerifyParts(VerifyAction verify, SubjectResolver subjects, PackResolver packs) {
  static VerifyParts of(
      Store store,
      KeyRing keys,
      MasterKey master,
      PolicyCatalog catalog,
      PackReader reader,
      OwnPacks ownPacks,
      PolicyDecisionPoint pdp,
      Redaction redaction,
      InstantSource clock,
      RecordIds ids,
      ApprovalGate approvals,
      DecisionCount counted) {
    PackResolver packs = new PackResolver(catalog, reader, ownPacks.shelf());
    SubjectResolver subjects =
        new SubjectResolver(
            new PassportCache(store.passports(), store.changes()), store.organizations());
    VerifyAction verify =
        new VerifyAction(
            packs,
            subjects,
            new KeyStanding(store.apiKeys(), store.changes(), clock),
            new FeedCache(store.feeds(), store.changes()),
            pdp,
            store.changes(),
            store.ledger(),
            keys.signers(Purpose.DECISION),
            redaction,
            new IdempotencyClaims(
                master.derive("idempotency"), () -> keys.revoked(Purpose.DECISION)),
            clock,
            ids::next,
            ownPacks.trials(),
            approvals,
            counted);
    return new VerifyParts(verify, subjects, packs);
  }

  /** One question, or several. */
  List<Route> routes(DecisionProofs proofs, URI baseUrl) {
    var routes = new ArrayList<Route>();
    routes.addAll(new VerifyEndpoint(verify, proofs, baseUrl.toString()).routes());
    routes.addAll(
        new BatchEndpoint(new VerifyAll(verify, packs, subjects), proofs, baseUrl.toString())
            .routes());
    return routes;
  }
}

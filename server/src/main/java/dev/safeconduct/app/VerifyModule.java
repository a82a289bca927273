package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeyValidity;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.feed.FeedEndpoints;
import dev.safeconduct.feed.FeedStore;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.ObserveModes;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.telemetry.LabeledCounter;
import dev.safeconduct.verify.AskForApprovalEndpoint;
import dev.safeconduct.verify.BatchEndpoint;
import dev.safeconduct.verify.DecisionListener;
import dev.safeconduct.verify.DecisionRecorder;
import dev.safeconduct.verify.DryRun;
import dev.safeconduct.verify.IdempotencyClaims;
import dev.safeconduct.verify.JudgedPack;
import dev.safeconduct.verify.PackResolver;
import dev.safeconduct.verify.PassportCache;
import dev.safeconduct.verify.RequestResolver;
import dev.safeconduct.verify.ReservationEndpoints;
import dev.safeconduct.verify.Reservations;
import dev.safeconduct.verify.SettleReservation;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.TemplateChains;
import dev.safeconduct.verify.UsageLookup;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyAll;
import dev.safeconduct.verify.VerifyEndpoint;
import java.util.List;
import java.util.function.LongSupplier;

/** Decisions on actions, with the feeds and reservations that they use. */
record VerifyModule(
    VerifyAction verify,
    DryRun dryRun,
    SubjectResolver subjects,
    PackResolver packs,
    TemplateChains templates,
    Halts halts,
    ObserveModes observed,
    List<Route> routes)
    implements FeatureModule {
  static VerifyModule of(
      Platform platform,
      AccessModule access,
      PolicyModule policies,
      SimulateModule simulate,
      ApprovalModule approvals,
      AuditModule audit,
      DecisionListener limits) {
    Storage store = platform.store();
    var keys = platform.keys().ring();
    var clock = platform.clock();
    var packs = new PackResolver(policies.catalog(), policies.reader(), policies.hosted());
    var passports = new PassportCache(new Passports(store), store.changes());
    var subjects = new SubjectResolver(passports, new Organizations(store), platform.cell());
    var halts = new Halts(store);
    var observed = new ObserveModes(store);
    var requests =
        new RequestResolver(
            packs,
            subjects,
            new ApiKeyValidity(new ApiKeys(store), access.tokens(), store.changes(), clock),
            halts,
            observed,
            ObserveCatalogue.read(Catalogue.builtIn()));
    DecisionListener counter = counter(platform);
    DecisionListener shadow = simulate.shadow();
    var verify =
        new VerifyAction(
            requests,
            policies.evaluator(),
            approvals.gate(),
            new DecisionRecorder(
                keys.signers(Purpose.DECISION),
                platform.redaction(),
                new IdempotencyClaims(
                    platform.keys().master().derive("idempotency"),
                    () -> keys.revoked(Purpose.DECISION)),
                platform.recorder()::nextId),
            new Ledger(store),
            store.changes(),
            clock,
            decision -> {
              counter.recorded(decision);
              shadow.recorded(decision);
              limits.recorded(decision);
            });
    String baseUrl = platform.baseUrl();
    platform
        .metrics()
        .gauge(
            "safeconduct_observe_modes",
            "Agents and organizations in observe mode",
            () -> observed.count(clock.instant()));
    cacheSize(platform, "passports", passports::size);
    cacheSize(platform, "packs", policies.hosted()::size);
    return new VerifyModule(
        verify,
        new DryRun(requests, policies.evaluator(), UsageLookup.of(new Ledger(store)), clock),
        subjects,
        packs,
        new TemplateChains(passports),
        halts,
        observed,
        FeatureModule.all(
            new VerifyEndpoint(verify, audit.proofs(), baseUrl).routes(),
            new BatchEndpoint(new VerifyAll(verify, requests), audit.proofs(), baseUrl).routes(),
            new AskForApprovalEndpoint(verify, new AuditLog(store.reads()), subjects, baseUrl)
                .routes(),
            new FeedEndpoints(new FeedStore(store), platform.recorder(), platform.organization())
                .routes(),
            new ReservationEndpoints(
                    new SettleReservation(new Reservations(store), platform.recorder()))
                .routes()));
  }

  private static void cacheSize(Platform platform, String cache, LongSupplier size) {
    platform
        .metrics()
        .gauge(
            "safeconduct_cache_entries",
            "Passports and compiled packs of organizations that this node holds in memory",
            "cache",
            cache,
            size::getAsLong);
  }

  private static DecisionListener counter(Platform platform) {
    LabeledCounter decisions =
        platform
            .metrics()
            .tally(
                "safeconduct_decisions",
                "Decisions recorded by this node",
                "policy",
                "outcome",
                "code");
    return decision -> {
      JudgedPack pack = decision.input().policy();
      decisions.count(
          pack.label(),
          decision.outcome().isAllow() ? "allow" : "deny",
          pack.label(decision.outcome().reason()));
    };
  }
}

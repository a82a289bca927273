package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.console.ConsoleEndpoints;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.hosted.PackNodes;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.verify.UsageLookup;
import java.util.List;
import java.util.Optional;

/** The web console, which calls the contract's routes inside the process. */
record ConsoleModule(ConsoleEndpoints console) implements FeatureModule {
  /** {@code contract}: every route that the console may call. */
  static ConsoleModule of(
      Platform platform,
      PolicyModule policies,
      PeopleModule people,
      MailModule mail,
      AuditModule audit,
      VerifyModule verify,
      List<Route> contract) {
    Storage store = platform.store();
    ServerConfig config = platform.config();
    boolean oneNode = config.storage().databaseUrl().isEmpty();
    return new ConsoleModule(
        ConsoleEndpoints.of(
            people.signIn(),
            new InnerCalls(contract),
            new ConsoleEndpoints.Reads(
                new AuditLog(store.reads()),
                store.changes(),
                new ConsoleEndpoints.Agents(
                    new Passports(store), verify.halts(), verify.observed()),
                new DecisionCounts(store),
                new Outbox(store),
                audit.exports(),
                platform.keys().ring().verifier(Purpose.DECISION),
                UsageLookup.of(new Ledger(store))),
            new ConsoleEndpoints.Identities(new ApiKeys(store), mail.passwordLinks()),
            new ConsoleEndpoints.Packs(
                policies.catalog(),
                policies.reader(),
                BuiltInPacks::cases,
                policies.decisionPoint(),
                verify.templates(),
                policies.hosted(),
                platform.redaction()),
            new ConsoleEndpoints.Node(
                platform.baseUrl(),
                store::healthy,
                oneNode ? _ -> List.of() : new PackNodes(store)::seen,
                platform.metrics().verifyTimes()::quantiles,
                config.notifications().mail().smtp().isPresent()
                    ? Optional.empty()
                    : Optional.of(MailModule.outbox(config)),
                SettingsView.of(config)),
            platform.templates(),
            platform.clock()));
  }

  @Override
  public List<Route> routes() {
    return console.routes();
  }

  @Override
  public void start() {
    console.start();
  }

  @Override
  public void stop() {
    console.close();
  }
}

package dev.safeconduct.app;

import dev.safeconduct.console.ConsoleEndpoints;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Route;
import dev.safeconduct.signing.Purpose;
import java.util.List;

/** The web console, which calls the contract's routes inside the process. */
record ConsoleModule(ConsoleEndpoints console) implements FeatureModule {
  /** {@code contract}: every route that the console may call. */
  static ConsoleModule of(
      Platform platform,
      PolicyModule policies,
      PeopleModule people,
      AuditModule audit,
      VerifyModule verify,
      List<Route> contract) {
    Store store = platform.store();
    ServerConfig config = platform.config();
    boolean oneNode = config.storage().databaseUrl().isEmpty();
    return new ConsoleModule(
        ConsoleEndpoints.of(
            people.signIn(),
            new InnerCalls(contract),
            new ConsoleEndpoints.Reads(
                store.auditLog(),
                store.changes(),
                store.passports(),
                store.tallies(),
                store.outbox(),
                audit.exports(),
                platform.keys().ring().verifier(Purpose.DECISION)),
            new ConsoleEndpoints.Packs(
                policies.catalog(),
                policies.reader(),
                BuiltInPacks::cases,
                policies.decisionPoint(),
                verify.templates()),
            new ConsoleEndpoints.Node(
                platform.baseUrl(),
                store::healthy,
                oneNode ? _ -> List.of() : store.packNodes()::seen,
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

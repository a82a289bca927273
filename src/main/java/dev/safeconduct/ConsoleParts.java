package dev.safeconduct;

import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.console.ConsoleEndpoints;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Route;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.store.Store;
import java.time.InstantSource;
import java.util.List;

/** The console, wired to the contract's routes: it calls them as they are. */
final class ConsoleParts {
  private ConsoleParts() {}

  static ConsoleEndpoints of(
      ServiceConfig config,
      InstantSource clock,
      Store store,
      KeyRing keys,
      PolicyCatalog catalog,
      PolicyDecisionPoint decisionPoint,
      People.Door door,
      ExportJobs exports,
      List<Route> contract) {
    return ConsoleEndpoints.of(
        new ConsoleEndpoints.Door(
            door.logIn(),
            door.sessions(),
            door.accounts(),
            door.forgotPassword(),
            door.forms(),
            door.secure()),
        new ConsoleEndpoints.Kept(
            store.auditLog(),
            store.changes(),
            store.passports(),
            store.tallies(),
            store.outbox(),
            decisionPoint,
            store::healthy,
            config.databaseUrl().isPresent() ? store.packNodes()::seen : _ -> List.of(),
            exports),
        new InnerCalls(contract),
        door.templates(),
        new ConsoleEndpoints.Packs(catalog, BuiltInPacks.reader(), BuiltInPacks::cases),
        keys.verifier(Purpose.DECISION),
        ShownSettings.of(config),
        config.http().baseUrl().toString(),
        clock);
  }
}

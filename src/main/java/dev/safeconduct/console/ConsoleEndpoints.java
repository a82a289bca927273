package dev.safeconduct.console;

import dev.safeconduct.access.StartSession;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.audit.RecordJson;
import dev.safeconduct.cases.PolicyCase;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Route;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.page.AssetEndpoints;
import dev.safeconduct.page.Templates;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.ForgotPassword;
import dev.safeconduct.people.FormToken;
import dev.safeconduct.people.LogIn;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.hosted.PackNodes;
import dev.safeconduct.signing.Verifier;
import dev.safeconduct.tally.CountDecisions;
import dev.safeconduct.tally.Tallies;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The console as a whole: its pages, and what runs behind them. */
public final class ConsoleEndpoints implements AutoCloseable {
  private final List<Route> routes;
  private final LiveDecisions live;
  private final CountDecisions count;

  private ConsoleEndpoints(List<Route> routes, LiveDecisions live, CountDecisions count) {
    this.routes = List.copyOf(routes);
    this.live = live;
    this.count = count;
  }

  /** What lets people in; {@code secure} tells whether cookies travel over TLS only. */
  public record Door(
      LogIn logIn,
      StartSession sessions,
      Accounts accounts,
      ForgotPassword forgotPassword,
      FormToken forms,
      boolean secure) {}

  /**
   * What is read beside the contract.
   *
   * @param recording whether decisions can be kept
   * @param nodes those that share the database and were seen since a time; none where none can
   */
  public record Kept(
      AuditLog log,
      ChangeFeed changes,
      Passports passports,
      Tallies tallies,
      Outbox outbox,
      PolicyDecisionPoint decisionPoint,
      BooleanSupplier recording,
      Function<Instant, List<PackNodes.Node>> nodes,
      ExportJobs exports) {}

  /** Everybody's packs, what reads others, and the cases that ship with a pack. */
  public record Packs(
      PolicyCatalog catalog, PackReader reader, Function<PolicyId, List<PolicyCase>> cases) {}

  /** The console over the contract's routes. */
  public static ConsoleEndpoints of(
      Door door,
      Kept kept,
      InnerCalls api,
      Templates templates,
      Packs packs,
      Verifier decisions,
      List<OperatorPage.Setting> settings,
      String baseUrl,
      InstantSource clock) {
    var assets = new AssetEndpoints();
    AssetEndpoints.Paths paths = assets.paths();
    var around =
        new OpenPage.Surroundings(
            api, templates, new Shell.Assets(paths.css(), paths.script(), paths.htmx()), baseUrl);
    var doorPage =
        new DoorPage(
            door.logIn(),
            door.sessions(),
            door.accounts(),
            door.forgotPassword(),
            door.forms(),
            around,
            clock,
            door.secure());
    var words = new DecisionWords(packs.catalog(), kept.passports());
    var live =
        new LiveDecisions(
            kept.log(),
            kept.changes(),
            (_, records) ->
                templates.render(
                    "console/lines.jte",
                    records.stream()
                        .map(record -> words.line(RecordJson.record(record), clock.instant()))
                        .toList()));
    var count = new CountDecisions(kept.tallies(), clock);
    var routes = new ArrayList<Route>();
    routes.addAll(assets.routes());
    routes.addAll(doorPage.routes());
    routes.addAll(
        new OverviewPage(
                doorPage,
                kept.tallies(),
                count,
                words,
                kept.recording(),
                new NodeHealth(kept.nodes()))
            .routes());
    routes.addAll(new LiveEndpoint(doorPage, live).routes());
    routes.addAll(
        new PassportsPage(doorPage, new PassportStory(new RecentActivity(kept.tallies(), clock)))
            .routes());
    routes.addAll(new DecisionsPage(doorPage, words, new DecisionStory(words, decisions)).routes());
    routes.addAll(new AuditPage(doorPage, words).routes());
    routes.addAll(new ExportsPage(doorPage, kept.exports()).routes());
    routes.addAll(new ApprovalsPage(doorPage, words).routes());
    routes.addAll(
        new PassportFormPage(doorPage, new Preview(packs.catalog(), kept.decisionPoint(), words))
            .routes());
    routes.addAll(new KeysPage(doorPage).routes());
    routes.addAll(new WebhooksPage(doorPage).routes());
    routes.addAll(new PeoplePage(doorPage).routes());
    routes.addAll(new OperatorPage(doorPage, kept.outbox(), settings).routes());
    routes.addAll(
        new PoliciesPage(
                doorPage,
                new PolicyStory(
                    new PolicyCases(
                        packs.catalog(), packs.reader(), packs.cases(), kept.decisionPoint())))
            .routes());
    routes.addAll(new PlaygroundPage(doorPage).routes());
    routes.addAll(new FirstRunPage(doorPage).routes());
    return new ConsoleEndpoints(routes, live, count);
  }

  public List<Route> routes() {
    return routes;
  }

  public void start() {
    live.start();
    count.start();
  }

  /** Lets watchers go and stops counting; pages can still be read. */
  @Override
  public void close() {
    live.close();
    count.close();
  }
}

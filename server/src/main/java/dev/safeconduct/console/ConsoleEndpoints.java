package dev.safeconduct.console;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.people.PasswordLinks;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.CountDecisions;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.audit.RecordJson;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.AssetEndpoints;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.ObserveModes;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.hosted.PackCache;
import dev.safeconduct.policy.hosted.PackNodes;
import dev.safeconduct.signing.Verifier;
import dev.safeconduct.simulate.PolicyCase;
import dev.safeconduct.telemetry.VerifyTimes;
import dev.safeconduct.text.Templates;
import dev.safeconduct.verify.TemplateChains;
import dev.safeconduct.verify.UsageLookup;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** The console: its pages, and their background work. */
public final class ConsoleEndpoints implements AutoCloseable {
  private final List<Route> routes;
  private final LiveDecisions live;
  private final CountDecisions count;

  private ConsoleEndpoints(List<Route> routes, LiveDecisions live, CountDecisions count) {
    this.routes = List.copyOf(routes);
    this.live = live;
    this.count = count;
  }

  /** Data that the API does not offer; {@code decisions} checks their signatures. */
  public record Reads(
      AuditLog log,
      ChangeFeed changes,
      Agents agents,
      DecisionCounts counts,
      Outbox outbox,
      ExportJobs exports,
      Verifier decisions,
      UsageLookup usage) {}

  /** The passports, and what applies to agents beside them. */
  public record Agents(Passports passports, Halts halts, ObserveModes observed) {}

  /** Who acts, and the links with which people set their first passwords. */
  public record Identities(ApiKeys keys, PasswordLinks links) {}

  /**
   * Built-in packs, the reader for others, the cases of a built-in pack, and the evaluator.
   *
   * @param hosted the packs of organizations
   * @param redaction what may be recorded of a request
   */
  public record Packs(
      PolicyCatalog catalog,
      PackReader reader,
      Function<PolicyId, List<PolicyCase>> cases,
      PolicyDecisionPoint decisionPoint,
      TemplateChains templates,
      PackCache hosted,
      Redaction redaction) {}

  /**
   * The node that serves the console.
   *
   * @param recording whether decisions can be recorded
   * @param latency the times of this node's answers
   * @param emails where emails are written if there is no mail server
   * @param others the nodes on the same database seen since a time; empty where there is one node
   */
  public record Node(
      String baseUrl,
      BooleanSupplier recording,
      Function<Instant, List<PackNodes.Node>> others,
      Supplier<Optional<VerifyTimes.Quantiles>> latency,
      Optional<Path> emails,
      List<OperatorPage.Setting> settings) {}

  /** Creates the console over the contract's routes. */
  public static ConsoleEndpoints of(
      SignIn signIn,
      InnerCalls api,
      Reads reads,
      Identities identities,
      Packs packs,
      Node node,
      Templates templates,
      InstantSource clock) {
    var assets = new AssetEndpoints();
    AssetEndpoints.Paths paths = assets.paths();
    var shared =
        new OpenPage.Shared(
            api,
            templates,
            new Layout.Assets(paths.css(), paths.script(), paths.htmx(), paths.icon()),
            node.baseUrl(),
            reads.agents().halts(),
            reads.agents().observed(),
            new Actors(identities.keys(), signIn.accounts()));
    var signInPage = new SignInPage(signIn, shared, clock);
    var words = new DecisionWords(packs.catalog(), reads.agents().passports());
    var live =
        new LiveDecisions(
            reads.log(),
            reads.changes(),
            (_, records) ->
                templates.render(
                    "console/lines.jte",
                    records.stream()
                        .map(record -> words.line(RecordJson.record(record), clock.instant()))
                        .toList()));
    var count = new CountDecisions(reads.counts(), clock);
    var known = new KnownPacks(packs.catalog(), packs.hosted());
    var lists = new LiveEndpoint(live, known);
    var preview = new Preview(packs.catalog(), packs.decisionPoint(), packs.templates(), words);
    var routes = new ArrayList<Route>();
    routes.addAll(assets.routes());
    routes.addAll(signInPage.routes());
    routes.addAll(new SecondStepPage(signIn, shared).routes());
    routes.addAll(new AccountPage(signIn, shared).routes(signInPage));
    routes.addAll(
        new OverviewPage(
                reads.counts(),
                count,
                words,
                node.recording(),
                node.others(),
                node.latency(),
                known)
            .routes(signInPage));
    routes.addAll(lists.routes(signInPage));
    routes.addAll(
        new PassportsPage(
                new PassportView(new RecentActivity(reads.counts(), clock), known, reads.usage()))
            .routes(signInPage));
    routes.addAll(
        new DecisionsPage(
                words,
                new DecisionViews(words, reads.decisions()),
                reads.agents().passports(),
                lists,
                known)
            .routes(signInPage));
    for (String other : List.of("/console/{page}", "/console/{page}/{part}")) {
      routes.add(signInPage.page(other, ConsoleEndpoints::missing));
    }
    routes.addAll(new SearchPage(known).routes(signInPage));
    routes.addAll(new AuditPage(words).routes(signInPage));
    routes.addAll(new ExportsPage(reads.exports()).routes(signInPage));
    routes.addAll(new ApprovalsPage(words).routes(signInPage));
    routes.addAll(
        new PassportFormPage(preview, reads.agents().passports(), known).routes(signInPage));
    routes.addAll(new NarrowPage(preview, reads.agents().passports()).routes(signInPage));
    routes.addAll(FleetPage.routes(signInPage));
    routes.addAll(HaltPage.routes(signInPage));
    routes.addAll(BulkStatusPage.routes(signInPage));
    routes.addAll(new ObservePage(reads.agents().observed()).routes(signInPage));
    routes.addAll(KeysPage.routes(signInPage));
    routes.addAll(TokensPage.routes(signInPage));
    routes.addAll(WebhooksPage.routes(signInPage));
    routes.addAll(
        new PeoplePage(email ->
            node.emails()
                .flatMap(_ -> EmailAddress.parse(email))
                .flatMap(signIn.accounts()::byEmail)
                .filter(account -> account.password().isEmpty())
                .map(account -> identities.links().make(account, PasswordLinks.WELCOME)))
            .routes(signInPage));
    routes.addAll(
        new OperatorPage(reads.outbox(), node.emails(), node.settings()).routes(signInPage));
    var cases =
        new PolicyCases(packs.catalog(), packs.reader(), packs.cases(), packs.decisionPoint());
    routes.addAll(new PoliciesPage(new PolicyView(cases)).routes(signInPage));
    routes.addAll(new PolicyEditorPage(cases, packs.catalog(), assets.editor()).routes(signInPage));
    routes.addAll(new PlaygroundPage(known, packs.redaction()).routes(signInPage));
    routes.addAll(FirstRunPage.routes(signInPage));
    routes.addAll(new ConnectPage(words, reads.agents().passports()).routes(signInPage));
    return new ConsoleEndpoints(routes, live, count);
  }

  private static Response missing(OpenPage page) {
    throw ProblemException.notFound(
        "There is no page " + Formats.clip(page.path(), 100) + ".", "page_not_found", Map.of());
  }

  public List<Route> routes() {
    return routes;
  }

  public void start() {
    live.start();
    count.start();
  }

  /** Ends the live streams and the counting; pages can still be read. */
  @Override
  public void close() {
    live.close();
    count.close();
  }
}

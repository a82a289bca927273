package dev.safeconduct.app;

import dev.safeconduct.compat.OlderEndpoints;
import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.http.HttpServer;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.telemetry.Otlp;
import dev.safeconduct.webhook.NearLimits;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running service: the platform, the feature modules, and the HTTP server. */
public final class Application implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Application.class);

  private final Platform platform;
  private final List<FeatureModule> modules;
  private final FirstRun.Result firstRun;
  private final Otlp otlp;
  private final HttpServer server;

  /**
   * Opens the store, the keys and the packs, and starts the server if all of them are valid.
   *
   * @throws IOException when the data folder, the master key file or the security module cannot be
   *     used
   * @throws WrongMasterKeyException when the master key does not open the stored keys
   */
  public static Application start(ServerConfig config, InstantSource clock)
      throws IOException, WrongMasterKeyException {
    return start(config, clock, WebhookDependencies.ofMachine(new SecureRandom()));
  }

  /** Starts the service with the given dependencies for webhooks instead of the machine's. */
  public static Application start(
      ServerConfig config, InstantSource clock, WebhookDependencies dependencies)
      throws IOException, WrongMasterKeyException {
    // This check comes before any secret that is shown only once: a start that cannot serve creates
    // none. The folder is needed with PostgreSQL too, for the first-run file.
    HttpServer.check(config.http());
    OwnerOnly.folder(config.storage().dataDir()).ifPresent(LOG::warn);
    // Reading the packs takes as long as opening the database, and needs none of it; nor do keys.
    var catalog = CompletableFuture.supplyAsync(BuiltInPacks::catalog);
    var _ = CompletableFuture.runAsync(Ed25519::prepare);
    Platform platform = Platform.open(config, clock);
    try {
      return new Application(platform, made(catalog), dependencies);
    } catch (Throwable e) {
      platform.close();
      throw e;
    }
  }

  /** Waits for what another thread does, and fails with its fault. */
  private static <T> T made(CompletableFuture<T> other) {
    try {
      return other.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException fault ? fault : e;
    }
  }

  /** Creates the modules in order of their dependencies, and starts the server. */
  private Application(Platform platform, PolicyCatalog catalog, WebhookDependencies dependencies) {
    this.platform = platform;
    var access = AccessModule.of(platform);
    var mail = MailModule.of(platform);
    var people = PeopleModule.of(platform, access, mail);
    this.firstRun = new FirstRun(platform).run(access, mail.passwordLinks());
    var audit = AuditModule.of(platform);
    var streams = StreamModule.of(platform);
    var policies = PolicyModule.of(platform, catalog);
    var simulate = SimulateModule.of(platform, policies);
    var approvals = ApprovalModule.of(platform, mail);
    var limits = new NearLimits(platform.events(), new Ledger(platform.store()));
    var verify = VerifyModule.of(platform, access, policies, simulate, approvals, audit, limits);
    var tokens = TokenModule.of(platform, access, people, verify);
    var authzen = AuthzenModule.of(platform, policies, verify);
    var hooks = HookModule.of(platform, policies, verify);
    var webhooks = WebhookModule.of(platform, access, dependencies, limits);
    var passports = PassportModule.of(platform, access, mail, verify, webhooks);
    var issue = IssueModule.of(platform, access, mail, people, passports, webhooks);
    var deploy = DeployModule.of(platform, passports, policies, webhooks);
    var site = SiteModule.of(platform, passports.catalogue());
    var mcp = McpModule.of(platform, policies, verify);
    List<FeatureModule> contract =
        List.of(
            access, mail, people, audit, streams, policies, simulate, approvals, verify, tokens,
            authzen, hooks, webhooks, passports, issue, deploy, site, mcp);

    // The older addresses and the console's pages call the contract's routes.
    List<Route> current =
        OwnCell.routes(
            platform.cell(),
            contract.stream().flatMap(module -> module.routes().stream()).toList());
    List<Route> older =
        OwnCell.routes(
            platform.cell(),
            new OlderEndpoints(
                    current, new Passports(platform.store()), verify.halts(), platform.clock())
                .routes());
    var console =
        ConsoleModule.of(
            platform, policies, people, mail, audit, verify, FeatureModule.all(current, older));
    this.modules = Stream.concat(contract.stream(), Stream.of(console)).toList();

    var warm =
        platform.keys().ring().works()
            ? CompletableFuture.runAsync(() -> WarmUp.run(catalog, verify, platform))
            : CompletableFuture.<Void>completedFuture(null);
    ServerConfig config = platform.config();
    this.otlp = Otlp.open(config.telemetry().otlp(), Version.current(), platform.metrics());
    this.server =
        HttpServer.start(
            config.http(),
            FeatureModule.all(current, older, console.routes()),
            access.credentials(platform, people.sessions()),
            access.requestLimits(),
            platform.metrics(),
            platform.health(),
            otlp.traces(),
            platform.clock());
    try {
      var _ = made(warm);
      modules.forEach(FeatureModule::start);
      server.ready(true);
    } catch (Throwable e) {
      stop();
      throw e;
    }
  }

  public int port() {
    return server.port();
  }

  /** Returns every route, for tests that compare the routes with the published contract. */
  public List<Route> routes() {
    return server.routes();
  }

  /** Returns what this start has created in an empty store. */
  public FirstRun.Result firstRun() {
    return firstRun;
  }

  /** Goes on for a while, waits for running requests, then closes the store. */
  @Override
  public void close() {
    server.drain();
    stop();
    platform.close();
  }

  private void stop() {
    modules.reversed().forEach(FeatureModule::stop);
    server.close();
    otlp.close();
    modules.reversed().forEach(FeatureModule::close);
  }
}

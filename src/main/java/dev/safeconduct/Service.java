package dev.safeconduct;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.LocalRateLimits;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.audit.RecordIds;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.console.ConsoleEndpoints;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Validators;
import dev.safeconduct.http.HttpServer;
import dev.safeconduct.http.Metrics;
import dev.safeconduct.http.Route;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.PassportDirectory;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.people.CreateOrganization;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyEndpoints;
import dev.safeconduct.signing.KeyMaterial;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.store.Store;
import dev.safeconduct.store.StoreConfig;
import dev.safeconduct.trace.Traces;
import dev.safeconduct.verify.ApprovalGate;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.webhook.Notifications;
import dev.safeconduct.webhook.Surroundings;
import dev.safeconduct.webhook.WebhookEndpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running service: every part made once, here, and handed to those that need it. */
final class Service implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private final HttpServer server;
  private final Optional<FirstRun.Made> firstOrganization;
  private final Optional<String> newAdminToken;
  private final People people;

  /** What to close, in this order. */
  private final List<Runnable> ends;

  private Service(
      HttpServer server,
      Optional<FirstRun.Made> firstOrganization,
      Optional<String> newAdminToken,
      People people,
      List<Runnable> ends) {
    this.server = server;
    this.firstOrganization = firstOrganization;
    this.newAdminToken = newAdminToken;
    this.people = people;
    this.ends = List.copyOf(ends);
  }

  /**
   * Opens the store, the keys and the packs, and serves when all of them are sound.
   *
   * @throws IOException when the data folder, the master key file or the security module cannot be
   *     used
   * @throws WrongMasterKeyException when the stored keys do not open
   */
  static Service start(ServiceConfig config, InstantSource clock)
      throws IOException, WrongMasterKeyException {
    return start(config, clock, Surroundings.ofMachine(new SecureRandom()));
  }

  /** Starts it with other surroundings for webhooks than the machine's. */
  static Service start(ServiceConfig config, InstantSource clock, Surroundings surroundings)
      throws IOException, WrongMasterKeyException {
    // Before anything is made that is shown only once: a start that cannot serve makes nothing, and
    // the first-run file goes to the folder, also with PostgreSQL.
    HttpServer.check(config.http());
    Files.createDirectories(
        config.dataDir(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    PolicyCatalog catalog = BuiltInPacks.load(BuiltInPacks.reader());
    SecureRandom random = new SecureRandom();
    Store store =
        Store.open(
            config.databaseUrl().isPresent()
                ? StoreConfig.postgres(config.databaseUrl().get().reveal())
                : StoreConfig.sqlite(config.dataDir()));
    try {
      MasterKey master = config.masterKey().open(!store.vault().signingKeys().isEmpty(), random);
      KeyMaterial material = config.moduleSigning().material(config.masterKey(), master);
      try {
        KeyRing keys = KeyRing.open(store.vault(), material, clock.instant(), random);
        return serve(config, clock, surroundings, catalog, random, store, master, material, keys);
      } catch (IOException | WrongMasterKeyException | RuntimeException e) {
        material.close();
        throw e;
      }
    } catch (IOException | WrongMasterKeyException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private static Service serve(
      ServiceConfig config,
      InstantSource clock,
      Surroundings surroundings,
      PolicyCatalog catalog,
      SecureRandom random,
      Store store,
      MasterKey master,
      KeyMaterial material,
      KeyRing keys) {
    RecordIds ids = new RecordIds(clock, () -> ThreadLocalRandom.current().nextLong());
    Recorder recorder = new Recorder(ids, clock);
    Directory directory = new PassportDirectory(store.organizations(), store.passports());
    ApiKeys apiKeys = store.apiKeys();
    CreateKey createKey = new CreateKey(apiKeys, directory, recorder, random);
    CreateOrganization createOrganization = new CreateOrganization(store.organizations(), recorder);
    String baseUrl = config.http().baseUrl().toString();
    var file = new FirstRunFile(config.dataDir());
    FirstRun firstRun = new FirstRun(store.vault(), store.foundation(), random, file, baseUrl);
    FirstRun.Begun begun = firstRun.begin(config.adminToken(), createOrganization, createKey);

    Redaction redaction = new Redaction(master.derive("redaction"));
    PolicyDecisionPoint pdp =
        new PolicyDecisionPoint(
            Validators.all(), fault -> LOG.error("A policy could not be evaluated.", fault));
    Figures figures = new Figures(store);
    PackReader reader = BuiltInPacks.reader();
    OwnPacks ownPacks = new OwnPacks(store, catalog, reader, directory, recorder, redaction, clock);
    ApprovalParts approvals = ApprovalParts.of(config, clock, store, master, recorder);
    VerifyParts judging =
        VerifyParts.of(
            store,
            keys,
            master,
            catalog,
            reader,
            ownPacks,
            pdp,
            redaction,
            clock,
            ids,
            new ApprovalGate(store.approvals(), master, random, approvals::opened),
            figures.decisions());
    VerifyAction verify = judging.verify();

    RateLimits local = new LocalRateLimits(clock);
    RateLimits limits = store.rateLimits(clock).orElse(local);
    var routes = new ArrayList<Route>();
    AuditParts audit = AuditParts.of(config, clock, store, keys, recorder);
    routes.addAll(judging.routes(audit.proofs(), config.http().baseUrl()));
    routes.addAll(approvals.routes());
    routes.addAll(audit.routes());
    routes.addAll(UsageEndpoints.of(store, recorder, baseUrl));
    routes.addAll(new PolicyEndpoints(catalog, Dialects::policyId).routes());
    routes.addAll(ownPacks.endpoints().routes());
    routes.addAll(AccessApi.routes(store, catalog, verify, config.http().baseUrl(), keys, clock));
    routes.addAll(ownPacks.shadowEndpoints().routes());
    routes.addAll(
        KeyParts.routes(store, directory, recorder, random, createKey, createOrganization));

    Catalogue catalogue = Catalogue.builtIn();
    routes.addAll(DiscoveryParts.routes(config, clock, store, keys, catalogue));
    IssuePassport issuePassport =
        HostedPassports.issuing(store, recorder, catalogue, config.http().baseUrl());
    Notifications notifications =
        NotificationParts.of(
            config, clock, surroundings, store, master, recorder, random, figures.webhooks());
    routes.addAll(
        new WebhookEndpoints(notifications, new ActingOrganization(store.organizations()))
            .routes());
    routes.addAll(
        HostedPassports.routes(
            store,
            recorder,
            createKey,
            catalogue,
            issuePassport,
            notifications,
            keys.signers(Purpose.PASSPORT)));

    People people =
        People.of(
            config,
            clock,
            store,
            master,
            keys,
            random,
            recorder,
            directory,
            firstRun,
            issuePassport,
            createKey,
            catalogue,
            limits,
            approvals.writers());
    routes.addAll(people.routes());
    TokenParts tokens =
        TokenParts.of(config, clock, store, keys, recorder, judging, people.sessions());
    routes.addAll(tokens.routes());
    approvals.nudge(people.postman()::nudge);
    routes.addAll(ClientApi.older(routes, store));
    Credentials credentials =
        KeyParts.credentials(config, clock, store, begun.token().hash(), people.sessions());
    ConsoleEndpoints console =
        ConsoleParts.of(
            config, clock, store, keys, catalog, pdp, people.door(), audit.exports(), routes);
    routes.addAll(console.routes());
    Metrics metrics = figures.metrics();
    Traces traces = Traces.of(config.traces(), Main.Version.ofThis());
    HttpServer server =
        HttpServer.start(
            config.http(),
            routes,
            credentials,
            config.requestLimits(local, limits),
            metrics,
            Figures.parts(store, keys),
            traces,
            clock);
    if (keys.works()) {
      WarmUp.run(catalog, pdp, keys.signer(Purpose.DECISION), clock);
    }
    ownPacks.start();
    server.ready(true);
    people.postman().start();
    console.start();
    audit.exports().start();
    return new Service(
        server,
        begun.made(),
        begun.token().made(),
        people,
        List.of(
            notifications::close,
            console::close,
            audit.exports()::close,
            tokens.revocations()::close,
            server::close,
            traces::close,
            audit.retention()::close,
            ownPacks::close,
            people.postman()::close,
            store::close,
            material::close,
            metrics::close));
  }

  int port() {
    return server.port();
  }

  /** Every route served, for tests that hold them against the published contract. */
  List<Route> routes() {
    return server.routes();
  }

  Optional<FirstRun.Made> firstOrganization() {
    return firstOrganization;
  }

  Optional<String> newAdminToken() {
    return newAdminToken;
  }

  Optional<FirstRun.Owner> firstOwner() {
    return people.firstOwner();
  }

  /** Lets running requests finish, then closes the store. */
  @Override
  public void close() {
    ends.forEach(Runnable::run);
  }
}

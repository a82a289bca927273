package dev.safeconduct;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.KeyEndpoints;
import dev.safeconduct.access.KeyStanding;
import dev.safeconduct.access.RevokeKey;
import dev.safeconduct.access.RotateKey;
import dev.safeconduct.audit.AuditEndpoints;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.LogEndpoints;
import dev.safeconduct.audit.RecordIds;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.authzen.MetadataEndpoint;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Validators;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.url.Url;
import dev.safeconduct.discovery.ContractEndpoint;
import dev.safeconduct.http.HttpServer;
import dev.safeconduct.http.Metrics;
import dev.safeconduct.http.Route;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.CatalogueEndpoints;
import dev.safeconduct.passport.ChangeStatus;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.PassportDirectory;
import dev.safeconduct.passport.PassportEndpoints;
import dev.safeconduct.passport.PassportListEndpoints;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.PublicViewEndpoints;
import dev.safeconduct.passport.SetAssurance;
import dev.safeconduct.passport.StatusEndpoints;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.passport.UpdatePassport;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.people.CreateOrganization;
import dev.safeconduct.people.OrganizationEndpoints;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyEndpoints;
import dev.safeconduct.policy.schema.Formats;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.KeySetEndpoints;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.store.Store;
import dev.safeconduct.store.StoreConfig;
import dev.safeconduct.verify.DecisionProofs;
import dev.safeconduct.verify.IdempotencyClaims;
import dev.safeconduct.verify.PackResolver;
import dev.safeconduct.verify.PassportCache;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running service: every part made once, here, and handed to those that need it. */
final class Service implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private final Store store;
  private final OwnPacks ownPacks;
  private final Metrics metrics;
  private final HttpServer server;
  private final Optional<FirstRun.Made> firstOrganization;
  private final Optional<String> newAdminToken;

  private Service(
      Store store,
      OwnPacks ownPacks,
      Metrics metrics,
      HttpServer server,
      Optional<FirstRun.Made> firstOrganization,
      Optional<String> newAdminToken) {
    this.store = store;
    this.ownPacks = ownPacks;
    this.metrics = metrics;
    this.server = server;
    this.firstOrganization = firstOrganization;
    this.newAdminToken = newAdminToken;
  }

  /**
   * Opens the store, the keys and the packs, and serves when all of them are sound.
   *
   * @throws IOException when the data folder or the master key file cannot be used
   * @throws WrongMasterKeyException when the stored keys do not open
   */
  static Service start(ServiceConfig config, InstantSource clock)
      throws IOException, WrongMasterKeyException {
    // Before anything is made that is shown only once: the first-run file goes there, also with
    // PostgreSQL.
    Files.createDirectories(
        config.dataDir(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    PolicyCatalog catalog = BuiltInPacks.load(packReader());
    SecureRandom random = new SecureRandom();
    Store store =
        Store.open(
            config.databaseUrl().isPresent()
                ? StoreConfig.postgres(config.databaseUrl().get().reveal())
                : StoreConfig.sqlite(config.dataDir()));
    try {
      MasterKey master =
          config.masterKey().isPresent()
              ? MasterKey.of(config.masterKey().get().reveal(), random)
              : MasterKey.fromFile(config.dataDir().resolve("master.key"), random);
      KeyRing keys =
          KeyRing.open(store.vault(), master, Ed25519.fastest(), clock.instant(), random);
      return serve(config, clock, catalog, random, store, master, keys);
    } catch (IOException | WrongMasterKeyException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private static Service serve(
      ServiceConfig config,
      InstantSource clock,
      PolicyCatalog catalog,
      SecureRandom random,
      Store store,
      MasterKey master,
      KeyRing keys) {
    RecordIds ids = new RecordIds(clock, () -> ThreadLocalRandom.current().nextLong());
    Recorder recorder = new Recorder(ids, clock);
    Directory directory = new PassportDirectory(store.organizations(), store.passports());
    ApiKeys apiKeys = store.apiKeys();
    CreateKey createKey = new CreateKey(apiKeys, directory, recorder, random);
    CreateOrganization createOrganization = new CreateOrganization(store.organizations(), recorder);
    FirstRun firstRun = new FirstRun(store.vault(), random);
    FirstRun.AdminToken adminToken = firstRun.adminToken(config.adminToken());
    Optional<FirstRun.Made> made = firstRun.organization(createOrganization, createKey);

    Redaction redaction = new Redaction(master.derive("redaction"));
    PolicyDecisionPoint pdp =
        new PolicyDecisionPoint(
            Validators.all(), fault -> LOG.error("A policy could not be evaluated.", fault));
    PackReader reader = packReader();
    OwnPacks ownPacks = new OwnPacks(store, catalog, reader, directory, recorder, clock);
    VerifyAction verify =
        new VerifyAction(
            new PackResolver(catalog, reader, ownPacks.shelf()),
            new SubjectResolver(
                new PassportCache(store.passports(), store.changes()), store.organizations()),
            new KeyStanding(apiKeys, store.changes(), clock),
            pdp,
            store.changes(),
            store.ledger(),
            keys.signer(Purpose.DECISION),
            redaction,
            new IdempotencyClaims(master.derive("idempotency")),
            clock,
            ids::next);

    var routes = new ArrayList<Route>();
    Checkpoints checkpoints =
        new Checkpoints(
            store.merkleLog(),
            LogOrigin.of(store.vault(), config.http().baseUrl()),
            new CheckpointKey(keys.signer(Purpose.CHECKPOINT)),
            clock);
    routes.addAll(
        new VerifyEndpoint(
                verify,
                redaction,
                new DecisionProofs(store.auditLog(), store.merkleLog(), checkpoints))
            .routes());
    routes.addAll(new AuditEndpoints(store.auditLog(), store.merkleLog(), checkpoints).routes());
    routes.addAll(
        new LogEndpoints(store.merkleLog(), checkpoints, config.auditLogPublic()).routes());
    routes.addAll(new PolicyEndpoints(catalog, Dialects::policyId).routes());
    routes.addAll(ownPacks.endpoints().routes());
    routes.addAll(AccessApi.endpoints(store, catalog, verify).routes());
    routes.addAll(
        new MetadataEndpoint(
                config.http().baseUrl(), keys.signer(Purpose.METADATA), clock.instant())
            .routes());
    routes.addAll(new KeySetEndpoints(keys).routes());
    routes.addAll(new ContractEndpoint(config.http().baseUrl().toString()).routes());
    routes.addAll(
        new KeyEndpoints(
                apiKeys,
                directory,
                createKey,
                new RevokeKey(apiKeys, directory, recorder),
                new RotateKey(apiKeys, directory, recorder, random))
            .routes());
    routes.addAll(new OrganizationEndpoints(store.organizations(), createOrganization).routes());

    routes.addAll(
        passportRoutes(config, store, recorder, createKey, keys.signer(Purpose.PASSPORT)));

    Credentials credentials =
        new Credentials(
            apiKeys, store.changes(), adminToken.hash(), config.failedAuthPerMinute(), clock);
    Metrics metrics = new Metrics();
    HttpServer server = HttpServer.start(config.http(), routes, credentials, metrics, clock);
    WarmUp.run(catalog, pdp, keys.signer(Purpose.DECISION), clock);
    ownPacks.start();
    server.ready(true);
    return new Service(store, ownPacks, metrics, server, made, adminToken.made());
  }

  private static List<Route> passportRoutes(
      ServiceConfig config,
      Store store,
      Recorder recorder,
      CreateKey createKey,
      Signer passportSigner) {
    Catalogue catalogue = Catalogue.builtIn();
    Passports passports = store.passports();
    ActingOrganization organization = new ActingOrganization(store.organizations());
    ChangeStatus changeStatus = new ChangeStatus(passports, recorder, StatusReceivers.NONE);
    var routes = new ArrayList<Route>();
    routes.addAll(
        new PassportEndpoints(
                new FindPassport(passports),
                new IssuePassport(
                    passports,
                    catalogue,
                    recorder,
                    UUID::randomUUID,
                    config.http().baseUrl().toString()),
                new UpdatePassport(passports, catalogue, recorder, changeStatus),
                createKey,
                organization)
            .routes());
    routes.addAll(new PassportListEndpoints(passports, organization).routes());
    routes.addAll(
        new StatusEndpoints(changeStatus, new SetAssurance(passports, recorder)).routes());
    routes.addAll(new PublicViewEndpoints(passports, new PassportSigner(passportSigner)).routes());
    routes.addAll(new CatalogueEndpoints(catalogue).routes());
    return routes;
  }

  static PackReader packReader() {
    return new PackReader(
        Validators.all().keySet(),
        new Formats(
            Map.of(
                "http-url",
                text -> Url.parse(text, Url.WEB).isPresent(),
                "file-path",
                PathForms::isClean)));
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

  /** Lets running requests finish, then closes the store. */
  @Override
  public void close() {
    server.close();
    ownPacks.close();
    store.close();
    metrics.close();
  }
}

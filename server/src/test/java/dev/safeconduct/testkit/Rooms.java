package dev.safeconduct.testkit;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.KeyEndpoints;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.KeyUse;
import dev.safeconduct.access.ManageKeys;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.access.OperatorTokens;
import dev.safeconduct.access.SignedIn;
import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.access.people.CreateOrganization;
import dev.safeconduct.access.people.Member;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.OrganizationEndpoints;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Role;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.BulkStatus;
import dev.safeconduct.passport.ChangeStatus;
import dev.safeconduct.passport.DocumentSigner;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportDirectory;
import dev.safeconduct.passport.PassportEndpoints;
import dev.safeconduct.passport.PassportListEndpoints;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.PublicViewEndpoints;
import dev.safeconduct.passport.SetAssurance;
import dev.safeconduct.passport.StatusEndpoints;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.passport.UpdatePassport;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.CatalogueEndpoints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** Access, people and passports on a store of their own, with two organizations. */
public final class Rooms implements AutoCloseable {
  public static final String ADMIN_TOKEN = "an-admin-token-for-tests-only";

  private static final SignedIn NOBODY_SIGNED_IN =
      new SignedIn() {
        @Override
        public Optional<Caller> caller(String token) {
          return Optional.empty();
        }

        @Override
        public boolean isCsrf(Caller caller, String text) {
          return false;
        }
      };

  public final MovableClock clock = new MovableClock();
  private final Path folder = folder();
  public final Storage store = Storage.open(StoreConfig.sqlite(folder));
  public final ApiKeys keys = new ApiKeys(store);
  public final Organizations organizations = new Organizations(store);
  public final Passports passports = new Passports(store);
  public final Catalogue catalogue = Catalogue.builtIn();
  private final Random random = new Random(42);
  public final Recorder recorder = new Recorder(new RecordIds(clock, random::nextLong), clock);
  public final PassportDirectory directory = new PassportDirectory(organizations, passports);
  public final ManageKeys manageKeys = new ManageKeys(keys, directory, recorder, Cell.NONE, random);
  public final KeyUse keyUse = new KeyUse(keys);
  public final IssuePassport issuePassport =
      new IssuePassport(
          passports,
          catalogue,
          recorder,
          Cell.NONE,
          () -> new UUID(random.nextLong(), random.nextLong()),
          "http://localhost:8080");
  public final ChangeStatus changeStatus =
      new ChangeStatus(passports, recorder, StatusReceivers.NONE);
  public final UpdatePassport updatePassport =
      new UpdatePassport(passports, catalogue, recorder, changeStatus);
  public final OrgId ours;
  public final OrgId theirs;

  public Rooms() {
    var create = new CreateOrganization(organizations, recorder);
    ours = create.run(admin(), "Ours").id();
    theirs = create.run(admin(), "Theirs").id();
  }

  /** The checker of credentials, with the default limit on failures. */
  public Credentials credentials() {
    return new Credentials(
        keys,
        store.changes(),
        new OperatorTokens(store, Optional.of(KeyHash.of(ADMIN_TOKEN))),
        NOBODY_SIGNED_IN,
        Cell.NONE,
        60,
        keyUse,
        clock);
  }

  public static Origin admin() {
    return new Origin(new Caller.Admin(), "127.0.0.1", "req_test");
  }

  public static Origin by(OrgId org, Scope... scopes) {
    return new Origin(
        new Caller.Key("key_test", org, Set.of(scopes), Optional.empty()), "10.0.0.1", "req_test");
  }

  /** As {@link #by}, with a key that the organization has. */
  public Origin byOwnKey(OrgId org, Scope... scopes) {
    String id = key(org, scopes).key().id();
    return new Origin(
        new Caller.Key(id, org, Set.of(scopes), Optional.empty()), "10.0.0.1", "req_test");
  }

  public static Origin setupKey(OrgId org, AgentId agent, Scope... scopes) {
    return new Origin(
        new Caller.Key("key_setup", org, Set.of(scopes), Optional.of(agent)), "10.0.0.1", "req_x");
  }

  /** A new owner of the organization; the id of their account. */
  public String owner(OrgId org, String email) {
    Instant now = recorder.now();
    var account = Account.fresh("acc_" + recorder.nextHex(), new EmailAddress(email), "", now);
    new Memberships(store)
        .add(
            new Member(org, account.id(), Role.OWNER, now),
            Optional.of(account),
            OutboxEntry.of("mail_" + account.id(), "invitation", account.id(), now),
            recorder.write(RecordKind.CONFIG, org, now, admin(), JsonObject.EMPTY));
    return account.id();
  }

  /** The emails of the kind that wait to be sent. */
  public List<OutboxEntry> waiting(String kind) {
    return new Outbox(store)
        .due(clock.instant(), 1_000).stream().filter(each -> each.kind().equals(kind)).toList();
  }

  /** A new key of the organization. */
  public MintedKey key(OrgId org, Scope... scopes) {
    return manageKeys.create(
        admin(), org, new KeyRequest("test", Set.of(scopes), Optional.empty(), Optional.empty()));
  }

  /** What has been recorded, in its order. */
  public List<AuditRecord> records() {
    return new AuditLog(store.reads())
        .ascending(new Tenant.Everyone(), AuditFilter.ALL, -1, 100_000).stream()
            .map(StoredRecord::entry)
            .toList();
  }

  /** The last record's body as text. */
  public String lastBody() {
    return new String(records().getLast().body(), StandardCharsets.UTF_8);
  }

  private static Path folder() {
    try {
      return Files.createTempDirectory("safeconduct-test-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    store.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A new passport of the organization with nothing but a name. */
  public Passport passport(OrgId org, String name) {
    JsonObject body = JsonObject.builder().put("name", name).build();
    return issuePassport.run(admin(), org, body, IssuePassport.Claim.CLAIMED).passport();
  }

  public List<Route> routes(DocumentSigner signer) {
    var acting = new ActingOrganization(organizations);
    var create = new CreateOrganization(organizations, recorder);
    var find = new FindPassport(passports);
    return Stream.of(
            new KeyEndpoints(keys, directory, manageKeys).routes(),
            new OrganizationEndpoints(organizations, create, directory, recorder).routes(),
            new PassportEndpoints(
                    find,
                    issuePassport,
                    updatePassport,
                    manageKeys,
                    acting,
                    new AuditLog(store.reads()))
                .routes(),
            new PassportListEndpoints(passports, acting).routes(),
            new StatusEndpoints(
                    changeStatus,
                    new BulkStatus(passports, recorder, StatusReceivers.NONE, directory),
                    new SetAssurance(passports, recorder))
                .routes(),
            new PublicViewEndpoints(passports, signer, "http://localhost:8080", clock).routes(),
            new CatalogueEndpoints(catalogue).routes())
        .flatMap(List::stream)
        .toList();
  }
}

package dev.safeconduct.store;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.audit.CosignedLog;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.feed.KeptFeeds;
import dev.safeconduct.issuance.Claims;
import dev.safeconduct.issuance.Issuances;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.Foundation;
import dev.safeconduct.people.Memberships;
import dev.safeconduct.people.Organizations;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.PackNodes;
import dev.safeconduct.retention.Erasures;
import dev.safeconduct.revocation.ChangeHistory;
import dev.safeconduct.shadow.Trials;
import dev.safeconduct.signing.Vault;
import dev.safeconduct.signing.rotation.SigningKeys;
import dev.safeconduct.tally.Tallies;
import dev.safeconduct.usage.Approvals;
import dev.safeconduct.usage.Ledger;
import dev.safeconduct.usage.Reservations;
import dev.safeconduct.webhook.Deliveries;
import dev.safeconduct.webhook.Webhooks;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;

/** Everything that is kept, behind the ports of the rooms that need it. */
public final class Store implements AutoCloseable {
  private final Database database;
  private final SqlChangeFeed feed;
  private final Writer writer;

  private Store(Database database, Session first, InstantSource clock) {
    this.database = database;
    this.feed = new SqlChangeFeed(lastChange(database));
    this.writer = new Writer(first, database::openSession, feed, clock);
  }

  /**
   * Opens the store, bringing its tables up to date.
   *
   * @throws StoreFault when it cannot be reached, is in use, or is newer than this program
   */
  public static Store open(StoreConfig config) {
    return open(config, InstantSource.system());
  }

  /** Opens it with another clock, which only says when expired rows may be deleted. */
  public static Store open(StoreConfig config, InstantSource clock) {
    Database database =
        switch (config) {
          case StoreConfig.Sqlite sqlite -> SqliteDatabase.open(sqlite.dataDir());
          case StoreConfig.Postgres postgres -> PostgresDatabase.open(postgres.databaseUrl());
        };
    try {
      var store = new Store(database, database.openSession(), clock);
      store.writer.start();
      database.follow(store.feed);
      return store;
    } catch (SQLException | RuntimeException e) {
      database.close();
      throw new StoreFault("The database cannot be opened: " + e.getMessage(), e);
    }
  }

  private static long lastChange(Database database) {
    return database
        .reads()
        .first("SELECT coalesce(max(sequence), 0) FROM change", row -> row.getLong(1))
        .orElse(0L);
  }

  public Ledger ledger() {
    return new SqlLedger(writer, database.reads());
  }

  public AuditLog auditLog() {
    return new SqlAuditLog(database.reads());
  }

  public MerkleLog merkleLog() {
    return new SqlMerkleLog(writer, database.reads());
  }

  public CosignedLog cosignedLog() {
    return new SqlCosignatures(writer, database.reads());
  }

  public ChangeFeed changes() {
    return feed;
  }

  public ApiKeys apiKeys() {
    return new SqlApiKeys(writer, database.reads());
  }

  public KeptFeeds feeds() {
    return new SqlFeeds(writer, database.reads());
  }

  /** Rates counted with other nodes; empty where there is one node only. */
  public Optional<RateLimits> rateLimits(InstantSource now) {
    return database.rateLimits(now);
  }

  public Organizations organizations() {
    return new SqlOrganizations(writer, database.reads());
  }

  public Foundation foundation() {
    return new SqlFoundation(writer);
  }

  public Passports passports() {
    return new SqlPassports(writer, database.reads());
  }

  public HostedPacks hostedPacks() {
    return new SqlHostedPacks(writer, database.reads());
  }

  public PackNodes packNodes() {
    return new SqlPackNodes(writer, database.reads());
  }

  public Trials trials() {
    return new SqlTrials(writer, database.reads());
  }

  public Sessions sessions() {
    return new SqlSessions(writer, database.reads());
  }

  public Accounts accounts() {
    return new SqlAccounts(writer, database.reads());
  }

  public Memberships members() {
    return new SqlMembers(writer, database.reads());
  }

  public Claims claims() {
    return new SqlClaims(writer, database.reads());
  }

  public Issuances issuances() {
    return new SqlClaims(writer, database.reads());
  }

  public Outbox outbox() {
    return new SqlOutbox(writer, database.reads());
  }

  public Webhooks webhooks() {
    return new SqlWebhooks(writer, database.reads());
  }

  public Deliveries deliveries() {
    return new SqlDeliveries(writer, database.reads());
  }

  public Approvals approvals() {
    return new SqlApprovals(writer, database.reads());
  }

  public Tallies tallies() {
    return new SqlTallies(writer, database);
  }

  public Reservations reservations() {
    return new SqlReservations(writer, database.reads());
  }

  public Vault vault() {
    return new SqlVault(writer, database.reads());
  }

  public SigningKeys signingKeys() {
    return new SqlSigningKeys(writer);
  }

  public ChangeHistory changeHistory() {
    return new SqlChangeHistory(database.reads());
  }

  /** How many entries wait to be written. */
  public int waiting() {
    return writer.waiting();
  }

  /** How many transactions this node has written. */
  public long batches() {
    return writer.batches();
  }

  /** How many entries were in them. */
  public long written() {
    return writer.written();
  }

  public Erasures erasures() {
    return new SqlErasures(writer, database.reads(), database.writeOver());
  }

  /** Whether decisions can be recorded, as far as is known. */
  public boolean healthy() {
    return writer.healthy();
  }

  /** Whether this node hears at once of whatever any node changes. */
  public boolean hears() {
    return healthy() && database.hears();
  }

  /** Writes what has been queued, refuses what comes later, and closes the database. */
  @Override
  public void close() {
    writer.close();
    database.close();
  }
}

package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.access.SharedRateLimits;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Bootstrap;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.CosignedLog;
import dev.safeconduct.audit.Erasures;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.SigningKeys;
import dev.safeconduct.audit.stats.DecisionCounts;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.feed.FeedStore;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.issue.Claims;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.PackNodes;
import dev.safeconduct.reservation.Reservations;
import dev.safeconduct.signing.Vault;
import dev.safeconduct.simulate.ShadowResults;
import dev.safeconduct.verify.token.ChangeHistory;
import dev.safeconduct.webhook.Webhooks;
import dev.safeconduct.webhook.delivery.Deliveries;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** All stored data, one class for each feature's part of it. */
public final class Store implements AutoCloseable {
  private final Storage storage;
  private Optional<SharedRateLimits> rateLimits = Optional.empty();

  private Store(Storage storage) {
    this.storage = storage;
  }

  /**
   * Opens the store and migrates its tables.
   *
   * @throws dev.safeconduct.db.StoreFault when the database cannot be reached, is in use, or is
   *     newer than this program
   */
  public static Store open(StoreConfig config) {
    return open(config, InstantSource.system());
  }

  /** Opens the store with the given clock, which only decides when expired rows may be deleted. */
  public static Store open(StoreConfig config, InstantSource clock) {
    return new Store(Storage.open(config, clock, List.of(Reservations::sweep, Approvals::sweep)));
  }

  public Storage storage() {
    return storage;
  }

  public Ledger ledger() {
    return new Ledger(storage);
  }

  public AuditLog auditLog() {
    return new AuditLog(storage.reads());
  }

  public MerkleLog merkleLog() {
    return new MerkleLog(storage);
  }

  public CosignedLog cosignedLog() {
    return new CosignedLog(storage);
  }

  public ChangeFeed changes() {
    return storage.changes();
  }

  public ApiKeys apiKeys() {
    return new ApiKeys(storage);
  }

  public FeedStore feeds() {
    return new FeedStore(storage);
  }

  /** Returns the rate limits that nodes count together; empty where there is only one node. */
  public Optional<RateLimits> rateLimits(InstantSource now) {
    if (storage.database() instanceof PostgresDatabase shared) {
      rateLimits = Optional.of(new SharedRateLimits(shared.source(), now));
    }
    return rateLimits.map(limits -> limits);
  }

  public Organizations organizations() {
    return new Organizations(storage);
  }

  public Bootstrap foundation() {
    return new Bootstrap(storage);
  }

  public Passports passports() {
    return new Passports(storage);
  }

  public HostedPacks hostedPacks() {
    return new HostedPacks(storage);
  }

  public PackNodes packNodes() {
    return new PackNodes(storage);
  }

  public ShadowResults trials() {
    return new ShadowResults(storage);
  }

  public Sessions sessions() {
    return new Sessions(storage);
  }

  public Accounts accounts() {
    return new Accounts(storage);
  }

  public Memberships members() {
    return new Memberships(storage);
  }

  public Claims claims() {
    return new Claims(storage);
  }

  public Outbox outbox() {
    return new Outbox(storage);
  }

  public Webhooks webhooks() {
    return new Webhooks(storage);
  }

  public Deliveries deliveries() {
    return new Deliveries(storage);
  }

  public Approvals approvals() {
    return new Approvals(storage);
  }

  public DecisionCounts tallies() {
    return new DecisionCounts(storage);
  }

  public Reservations reservations() {
    return new Reservations(storage);
  }

  public Vault vault() {
    return new Vault(storage);
  }

  public SigningKeys signingKeys() {
    return new SigningKeys(storage);
  }

  public ChangeHistory changeHistory() {
    return new ChangeHistory(storage.reads());
  }

  /** Returns the number of entries in the write queue. */
  public int waiting() {
    return storage.waiting();
  }

  /** Returns the number of transactions that this node has written. */
  public long batches() {
    return storage.batches();
  }

  /** Returns the number of entries in those transactions. */
  public long written() {
    return storage.written();
  }

  public Erasures erasures() {
    return new Erasures(storage);
  }

  /** Returns whether decisions can be recorded, as far as this node knows. */
  public boolean healthy() {
    return storage.healthy();
  }

  /** Returns whether this node is notified of every node's changes at once. */
  public boolean hears() {
    return storage.hears();
  }

  /** Writes the queued entries, refuses new ones, and closes the database. */
  @Override
  public void close() {
    storage.close();
    rateLimits.ifPresent(SharedRateLimits::close);
  }
}

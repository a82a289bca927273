package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.db.Availability;
import dev.safeconduct.db.Database;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.Vault;
import dev.safeconduct.tlog.Nodes;
import java.util.List;
import java.util.Optional;

/** Reads the log of a store that a running service may use; changes nothing and takes no lock. */
public final class LogReader implements AutoCloseable {
  private final Reads reads;
  private final AutoCloseable source;

  private LogReader(Reads reads, AutoCloseable source) {
    this.reads = reads;
    this.source = source;
  }

  /**
   * Opens the store.
   *
   * @throws StoreFault when the store does not exist
   */
  public static LogReader open(StoreConfig config) {
    var pool = Database.reading(config);
    return new LogReader(new Reads(pool, new Availability()), pool);
  }

  public StoredLog log() {
    return new StoredLog(reads);
  }

  /** Returns the records of all organizations. */
  public AuditLog records() {
    return new AuditLog(reads);
  }

  /**
   * Returns the organization with this id. One that was deleted keeps its records.
   *
   * @throws dev.safeconduct.error.ProblemException when the log has no record of it
   */
  public OrgId organization(String id) {
    var org = new OrgId(id);
    if (records().list(new Tenant.One(org), AuditFilter.ALL, Long.MAX_VALUE, 1).isEmpty()) {
      throw Problem.invalid("org_id", "The log has no organization " + id + ".").toException();
    }
    return org;
  }

  /** Returns the number of durable records. */
  public long size() {
    return MerkleLog.size(reads);
  }

  /** Returns the tree's complete subtrees. */
  public Nodes nodes() {
    return MerkleLog.nodes(reads);
  }

  /** Returns a small named value that the service stores. */
  public Optional<byte[]> value(String name) {
    return Vault.value(reads, name);
  }

  /** Returns the queries for other data. */
  public Reads reads() {
    return reads;
  }

  /** Returns the signing keys with their public keys; the private keys stay encrypted. */
  public List<SealedKey> keys() {
    return Vault.keys(reads);
  }

  @Override
  public void close() {
    try {
      source.close();
    } catch (Exception e) {
      throw new StoreFault("The store cannot be closed", e);
    }
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The open database: queries, changes through its single writer, and the change feed. */
public final class Storage implements AutoCloseable {
  /** Deletes some of a feature's expired rows; called in a transaction about once a second. */
  @FunctionalInterface
  public interface Sweep {
    void delete(Connection connection, long horizonMs) throws SQLException;
  }

  private final Database database;
  private final ChangeFeed feed;
  private final Writer writer;
  private final Optional<PostgresFollower> follower;

  private Storage(Database database, InstantSource clock, List<Sweep> sweeps) throws SQLException {
    this.database = database;
    this.feed =
        new ChangeFeed(
            database.reads().number(Sql.of("SELECT coalesce(max(sequence), 0) FROM change")));
    this.writer =
        new Writer(
            WriterSession.open(database, sweeps),
            () -> WriterSession.open(database, sweeps),
            feed,
            clock);
    this.follower =
        database instanceof PostgresDatabase postgres
            ? Optional.of(new PostgresFollower(postgres.source(), feed))
            : Optional.empty(); // a SQLite file has no other writer
  }

  /**
   * Opens the database and migrates its tables.
   *
   * @param clock determines when expired rows may be deleted
   * @throws StoreFault when it cannot be reached, is in use, or is newer than this program
   */
  public static Storage open(StoreConfig config, InstantSource clock, List<Sweep> sweeps) {
    Database database = Database.open(config);
    try {
      var storage = new Storage(database, clock, sweeps);
      storage.writer.start();
      storage.follower.ifPresent(PostgresFollower::start);
      return storage;
    } catch (SQLException | RuntimeException e) {
      database.close();
      throw new StoreFault("The database cannot be opened: " + e.getMessage(), e);
    }
  }

  public Database database() {
    return database;
  }

  public Reads reads() {
    return database.reads();
  }

  /** As {@link Reads#list(Sql, Sql.Row)}. */
  public <T> List<T> list(Sql query, Sql.Row<T> row) {
    return reads().list(query, row);
  }

  public <T> List<T> list(String query, Sql.Row<T> row, @Nullable Object... values) {
    return reads().list(query, row, values);
  }

  public <T> Optional<T> first(Sql query, Sql.Row<T> row) {
    return reads().first(query, row);
  }

  public <T> Optional<T> first(String query, Sql.Row<T> row, @Nullable Object... values) {
    return reads().first(query, row, values);
  }

  public long number(Sql query) {
    return reads().number(query);
  }

  /** Returns the feed of all nodes' changes, as far as this node has received them. */
  public ChangeFeed changes() {
    return feed;
  }

  /**
   * Makes the change and its records durable, or neither.
   *
   * @throws dev.safeconduct.error.ProblemException the mutation's own, {@code Conflict} when a row
   *     exists already, or {@code Unavailable} when the store fails or is stopping
   */
  public <T> T change(Mutation<T> mutation) {
    return writer.change(mutation);
  }

  /** Changes rows without a record and returns their number. */
  public int update(Sql statement) {
    return change(connection -> MutationResult.none(statement.update(connection)));
  }

  /**
   * Changes one row together with its record.
   *
   * @param subjects the subjects it outdates
   * @return false when the row does not exist; nothing is written then
   */
  public boolean update(Sql statement, AuditRecord entry, String... subjects) {
    return change(
        connection -> MutationResult.when(statement.update(connection) == 1, entry, subjects));
  }

  /** Refunds the charges with the record; returns false when they can no longer be refunded. */
  public boolean refund(Refund refund, AuditRecord entry) {
    return writer.refund(refund, entry);
  }

  Commit commit(LedgerEntry entry) {
    return writer.commit(entry);
  }

  /** Returns the number of entries waiting to be written. */
  public int waiting() {
    return writer.waiting();
  }

  /** Returns the number of transactions this node has written. */
  public long batches() {
    return writer.batches();
  }

  /** Returns the number of entries in them. */
  public long written() {
    return writer.written();
  }

  /** Returns whether decisions can be recorded, as far as is known. */
  public boolean healthy() {
    return writer.healthy();
  }

  /** Returns whether this node receives every node's changes at once. */
  public boolean hears() {
    return healthy() && follower.map(PostgresFollower::isFresh).orElse(true);
  }

  /** Writes the queued work, refuses later work, and closes the database. */
  @Override
  public void close() {
    writer.close();
    follower.ifPresent(PostgresFollower::close);
    database.close();
  }
}

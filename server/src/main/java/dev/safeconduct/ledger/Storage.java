package dev.safeconduct.ledger;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.SqlFault;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.db.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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

  private static final String LAST_RECORD =
      "SELECT at_ms FROM audit WHERE log_index = (SELECT max(log_index) FROM audit)";

  private final Database database;
  private final ChangeFeed feed;
  private final SeenLog seen;
  private final Writer writer;
  private final Optional<PostgresFollower> follower;
  private final long mostClockDifferenceMs;

  private Storage(Database database, StoreConfig config, InstantSource clock, List<Sweep> sweeps)
      throws SQLException {
    this.database = database;
    this.seen = new SeenLog(config.folder());
    this.mostClockDifferenceMs = config.mostClockDifference().toMillis();
    try (WriterSession session = WriterSession.open(database, seen, sweeps)) {
      seen.checkAtStart(session.connection());
    }
    // Only now are reads from the server that has the log.
    this.feed =
        new ChangeFeed(
            database.reads().number(Sql.of("SELECT coalesce(max(sequence), 0) FROM change")));
    long now = clock.millis();
    long last = reads().first(LAST_RECORD, row -> row.getLong(1)).orElse(now);
    this.writer =
        new Writer(
            elsewhere -> WriterSession.open(database, seen, sweeps, elsewhere),
            feed,
            seen,
            database.availability(),
            new ExpiryHorizon(last, now),
            clock);
    this.follower =
        database instanceof PostgresDatabase postgres
            ? Optional.of(new PostgresFollower(postgres, feed, seen, clock))
            : Optional.empty(); // a SQLite file has no other writer
  }

  /** Opens the database with the system's clock, and nothing of a feature to delete. */
  public static Storage open(StoreConfig config) {
    return open(config, InstantSource.system(), List.of());
  }

  /**
   * Opens the database and migrates its tables.
   *
   * @param clock determines when expired rows may be deleted, and is compared with the database's
   * @throws StoreFault when it cannot be reached, is in use, is newer than this program, or does
   *     not hold the log that was seen
   */
  public static Storage open(StoreConfig config, InstantSource clock, List<Sweep> sweeps) {
    Database database = Database.open(config);
    try {
      var storage = new Storage(database, config, clock, sweeps);
      storage.writer.start();
      storage.follower.ifPresent(PostgresFollower::start);
      return storage;
    } catch (StoreFault | Error e) {
      database.close();
      throw e;
    } catch (SQLException | RuntimeException e) {
      database.close();
      throw new StoreFault("The database cannot be opened: " + SqlFault.shown(e), e);
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
    if (!clockAgrees()) {
      throw StoreUnavailable.clocksDiffer().toException();
    }
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

  /** Returns the nanoseconds that those transactions took. */
  public long commitNanos() {
    return writer.commitNanos();
  }

  /** Returns whether decisions can be recorded, as far as is known. */
  public boolean healthy() {
    return writer.healthy();
  }

  /** Returns how long ago this node looked for other nodes' changes; 0 if there can be none. */
  public Duration sinceFollowed() {
    return follower.map(PostgresFollower::sinceLooked).orElse(Duration.ZERO);
  }

  /** Returns whether this node receives every node's changes at once. */
  public boolean hears() {
    return healthy() && follower.map(PostgresFollower::isFresh).orElse(true);
  }

  /**
   * Returns the size of the log for a checkpoint that will be published. This node remembers it,
   * also after a restart: no later one is smaller.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Unavailable} when the log is not the one
   *     that was seen
   */
  public long sizeToPublish() {
    if (seen.isRefused()) {
      throw StoreUnavailable.otherLog().toException();
    }
    SeenLog.Seen before = seen.seen();
    long size =
        seen.extended(before, list(SeenLog.HEADS, SeenLog.Head::read, SeenLog.last(before)));
    seen.publishing();
    return size;
  }

  /** Returns what this node has seen of the log. */
  public SeenLog seenLog() {
    return seen;
  }

  /** Returns by how many milliseconds this node's clock differs from the database's, at least. */
  public long clockDifferenceMs() {
    return follower.map(PostgresFollower::clockDifferenceMs).orElse(0L);
  }

  /** Returns whether this node's clock agrees with the database's. */
  public boolean clockAgrees() {
    return clockDifferenceMs() <= mostClockDifferenceMs;
  }

  /** Writes the queued work, refuses later work, and closes the database. */
  @Override
  public void close() {
    writer.close();
    follower.ifPresent(PostgresFollower::close);
    database.close();
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.SqliteDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The writer's connection, which runs one transaction per batch. */
public sealed interface WriterSession extends AutoCloseable permits SqliteSession, PostgresSession {
  /** The record's position is free only as long as the transaction holds the log. */
  String PROBE =
      """
      INSERT INTO audit (log_index, record_id, kind, org, at_ms, body, signature, details, salt,
                         commitment)
      SELECT coalesce(max(log_index), -1) + 1, :id, 'config', '', 0, :body, :none, :none, :none,
             :none
        FROM audit
      """;

  /** Opens the session of the database, which also deletes the features' expired rows. */
  static WriterSession open(Database database, SeenLog seen, List<Storage.Sweep> sweeps)
      throws SQLException {
    return open(database, seen, sweeps, false);
  }

  /** As above; {@code elsewhere}: on another host than last time, if there is one. */
  static WriterSession open(
      Database database, SeenLog seen, List<Storage.Sweep> sweeps, boolean elsewhere)
      throws SQLException {
    return switch (database) {
      case SqliteDatabase sqlite ->
          new SqliteSession(sqlite.openWriter(), seen, sqlite.checkpoints(), sweeps);
      case PostgresDatabase postgres ->
          new PostgresSession(postgres.openWriter(elsewhere, seen::isIn), seen, sweeps);
    };
  }

  /**
   * Begins a transaction in which no other writer appends, and reads the state the batch needs.
   *
   * @param known the last change this node has received
   * @throws dev.safeconduct.error.ProblemException when the log is not the one that was seen
   */
  Opening begin(long known, Set<CounterKey> counters, Set<CounterKey> claims) throws SQLException;

  /** Returns the connection for mutations; valid until {@link #finish}. */
  Connection connection();

  Optional<StoredRecord> record(UUID id) throws SQLException;

  /** Writes everything and commits. */
  void finish(Writes writes) throws SQLException;

  /** Rolls the transaction back and drops everything cached from it. */
  void rollback() throws SQLException;

  /** Deletes some rows that expired at or before the time; called about once a second. */
  void sweep(long horizonMs) throws SQLException;

  /**
   * Writes and commits what a decision writes, and leaves nothing of it: a copy of the last record
   * with a body of that many bytes.
   */
  default void probe(int bytes) throws SQLException {
    begin(Long.MAX_VALUE, Set.of(), Set.of());
    UUID id = UUID.randomUUID();
    Sql.of(PROBE, id, new byte[bytes], new byte[0]).update(connection());
    Sql.of("DELETE FROM audit WHERE record_id = :id", id).update(connection());
    connection().commit();
    rollback(); // the next batch must read the changes that this transaction skipped
  }

  /** As {@link SeenLog#check}. */
  default boolean check(SeenLog seen) throws SQLException {
    boolean isSame = seen.check(connection());
    connection().commit();
    return isSame;
  }

  /** Ends what the session is doing, from another thread. */
  default void abort() {
    try {
      connection().abort(Runnable::run);
    } catch (SQLException | RuntimeException _) {
      // It has ended by itself.
    }
  }

  @Override
  void close() throws SQLException;

  /**
   * The state at the beginning of a transaction.
   *
   * @param changes those after the known one, committed by this node or another
   * @param counters every requested counter
   */
  record Opening(
      long nextIndex,
      List<Change> changes,
      Map<CounterKey, Counter> counters,
      Map<CounterKey, HeldKey> claims) {}
}

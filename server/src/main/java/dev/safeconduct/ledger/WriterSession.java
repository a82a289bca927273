package dev.safeconduct.ledger;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.PostgresDatabase;
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
  /** Opens the session of the database, which also deletes the features' expired rows. */
  static WriterSession open(Database database, List<Storage.Sweep> sweeps) throws SQLException {
    return switch (database) {
      case SqliteDatabase sqlite ->
          new SqliteSession(sqlite.openWriter(), sqlite.checkpoints(), sweeps);
      case PostgresDatabase postgres -> new PostgresSession(postgres.openWriter(), sweeps);
    };
  }

  /**
   * Begins a transaction in which no other writer appends, and reads the state the batch needs.
   *
   * @param known the last change this node has received
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

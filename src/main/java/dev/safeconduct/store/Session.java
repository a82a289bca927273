package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.usage.CounterKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The writer's own connection: one transaction after the other, each one a batch. */
interface Session extends AutoCloseable {
  /**
   * Begins a transaction in which nobody else appends, and reads what the batch is judged by.
   *
   * @param known the last change this node has heard of
   */
  Opening begin(long known, Set<CounterKey> counters, Set<CounterKey> claims) throws SQLException;

  /** For mutations; theirs until {@link #finish}. */
  Connection connection();

  Optional<StoredRecord> record(UUID id) throws SQLException;

  /** Writes it all and commits. */
  void finish(Writes writes) throws SQLException;

  /** Undoes the transaction and forgets whatever was remembered of it. */
  void rollback() throws SQLException;

  /** Deletes some rows that expired at or before the time; called about once a second. */
  void sweep(long horizonMs) throws SQLException;

  @Override
  void close() throws SQLException;

  /**
   * The state a transaction begins with.
   *
   * @param changes those after the known one, committed by this node or another
   * @param counters every counter asked for
   */
  record Opening(
      long nextIndex,
      List<Change> changes,
      Map<CounterKey, Counter> counters,
      Map<CounterKey, HeldKey> claims) {}
}

package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.usage.CounterKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The writer on SQLite. As the file has no other writer, the next place in the log and the counters
 * in use are remembered from batch to batch, until one fails.
 */
final class SqliteSession implements Session {
  /** Tells that something is being erased; off again once nothing is left of it. */
  static final String WRITE_OVER = "PRAGMA secure_delete = ON";

  private static final int REMEMBERED_COUNTERS = 20_000;

  private final Connection connection;
  private final SqliteStatements statements;
  private final Sweeper sweeper;
  private final TileEdge edge;
  private final WalCheckpoints checkpoints;
  private final CounterCache cache = new CounterCache(REMEMBERED_COUNTERS);
  private long nextIndex;
  private boolean stale = true;

  SqliteSession(Connection connection, WalCheckpoints checkpoints) throws SQLException {
    connection.setAutoCommit(false);
    this.connection = connection;
    this.checkpoints = checkpoints;
    this.statements = new SqliteStatements(connection);
    this.sweeper = new Sweeper(connection);
    this.edge = new TileEdge(connection);
  }

  @Override
  public Opening begin(long known, Set<CounterKey> counters, Set<CounterKey> claims)
      throws SQLException {
    List<Change> changes = List.of();
    if (stale) {
      // After a commit whose outcome is unknown the file alone knows what it holds.
      nextIndex = statements.nextIndex();
      changes = statements.changesAfter(known);
      stale = false;
    }
    cache.trim();
    var loaded = new HashMap<CounterKey, Counter>();
    for (CounterKey key : counters) {
      loaded.put(key, counter(key));
    }
    var held = new HashMap<CounterKey, HeldKey>();
    for (CounterKey key : claims) {
      HeldKey found = statements.claim(key);
      if (found != null) {
        held.put(key, found);
      }
    }
    return new Opening(nextIndex, changes, loaded, held);
  }

  private Counter counter(CounterKey key) throws SQLException {
    @Nullable Counter counter = cache.get(key);
    if (counter == null) {
      counter = statements.counter(key);
      cache.put(key, counter);
    }
    return counter;
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public Optional<StoredRecord> record(UUID id) throws SQLException {
    return Sql.list(connection, AuditRows.BY_ID, AuditRows::read, List.of(AuditRows.bytes(id)))
        .stream()
        .findFirst();
  }

  @Override
  public void finish(Writes writes) throws SQLException {
    writes.tiles = edge.append(writes.firstIndex, writes.records);
    statements.write(writes);
    connection.commit();
    checkpoints.committed(writes);
    nextIndex = writes.firstIndex + writes.records.size();
  }

  @Override
  public void rollback() throws SQLException {
    stale = true;
    cache.clear();
    edge.forget();
    connection.rollback();
  }

  @Override
  public void sweep(long horizonMs) throws SQLException {
    sweeper.step(horizonMs);
    connection.commit();
    forgetErased();
  }

  /** What was erased stands in the write-ahead log too, until that begins anew. */
  private void forgetErased() throws SQLException {
    connection.setAutoCommit(true); // a checkpoint is not for transactions
    try (Statement statement = connection.createStatement()) {
      if (number(statement, "PRAGMA secure_delete") == 1) {
        statement.execute("PRAGMA busy_timeout = 0"); // a reader may hold it: then next time
        boolean busy = number(statement, "PRAGMA wal_checkpoint(TRUNCATE)") != 0;
        statement.execute("PRAGMA busy_timeout = 5000");
        if (!busy) {
          statement.execute("PRAGMA secure_delete = OFF");
        }
      }
    } finally {
      connection.setAutoCommit(false);
    }
  }

  private static int number(Statement statement, String pragma) throws SQLException {
    try (ResultSet row = statement.executeQuery(pragma)) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import dev.safeconduct.db.SqliteDatabase;
import dev.safeconduct.db.WalCheckpoints;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The writer's session on SQLite. The file has no other writer. The next log position and the
 * counters in use are therefore cached across batches, until one fails.
 */
final class SqliteSession implements WriterSession {
  private static final int REMEMBERED_COUNTERS = 20_000;

  private final Connection connection;
  private final SeenLog seen;
  private final SqliteStatements statements;
  private final Sweeper sweeper;
  private final TileEdge edge;
  private final WalCheckpoints checkpoints;

  /** The recently used counters, the least recently used first. */
  private final Map<CounterKey, Counter> cache = new LinkedHashMap<>(1024, 0.75f, true);

  private long nextIndex;
  private boolean stale = true;

  SqliteSession(
      Connection connection, SeenLog seen, WalCheckpoints checkpoints, List<Storage.Sweep> sweeps)
      throws SQLException {
    this.connection = connection;
    this.seen = seen;
    this.checkpoints = checkpoints;
    this.statements = new SqliteStatements(connection);
    this.sweeper = new Sweeper(connection, sweeps);
    this.edge = new TileEdge(connection);
  }

  @Override
  public Opening begin(long known, Set<CounterKey> counters, Set<CounterKey> claims)
      throws SQLException {
    List<Change> changes = List.of();
    if (stale) {
      // After a commit with unknown outcome only the file holds the valid state.
      SeenLog.Seen before = seen.seen();
      nextIndex =
          seen.extended(
              before,
              Sql.of(SeenLog.HEADS, SeenLog.last(before)).list(connection, SeenLog.Head::read));
      changes = Change.after(connection, known);
      stale = false;
    }
    trimCache(); // only between transactions
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

  private void trimCache() {
    Iterator<Counter> oldest = cache.values().iterator();
    while (cache.size() > REMEMBERED_COUNTERS) {
      oldest.next();
      oldest.remove();
    }
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
    return Sql.of(AuditRows.BY_ID, id).first(connection, AuditRows::read);
  }

  @Override
  public void finish(Writes writes) throws SQLException {
    writes.tiles = edge.append(writes.firstIndex, writes.records);
    statements.write(writes);
    connection.commit();
    checkpoints.committed(writes.bytes());
    nextIndex = writes.firstIndex + writes.records.size();
    seen.appended(writes.firstIndex, writes.records);
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

  /**
   * Truncates the write-ahead log, which also contains erased data until it starts over. A
   * transaction that erases turns {@code secure_delete} on, see {@link
   * dev.safeconduct.db.Database#writeOver}.
   */
  private void forgetErased() throws SQLException {
    connection.setAutoCommit(true); // a checkpoint cannot run in a transaction
    try (Statement statement = connection.createStatement()) {
      if (number(statement, "PRAGMA secure_delete") == 1) {
        statement.execute("PRAGMA busy_timeout = 0"); // if a reader blocks it, retry later
        boolean busy = number(statement, "PRAGMA wal_checkpoint(TRUNCATE)") != 0;
        statement.execute("PRAGMA busy_timeout = 5000");
        if (!busy) {
          statement.execute(SqliteDatabase.NO_STALE_COPIES);
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

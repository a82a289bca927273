package dev.safeconduct.ledger;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The writer's session on PostgreSQL. One advisory lock puts the batches of all nodes in one order.
 * A batch reads everything it is evaluated by under that lock. A batch takes two round trips.
 */
final class PostgresSession implements WriterSession {
  /** The key of the advisory lock: "safecond" in ASCII. */
  private static final long LOCK = 0x73616665636f6e64L;

  private static final String DB_NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

  // Prepared by hand, because they are executed for every batch.
  private static final String BEGIN =
      """
      SELECT pg_advisory_xact_lock(?);
      SELECT sequence, subject FROM change WHERE sequence > ? ORDER BY sequence;
      """
          + SeenLog.HEADS.replace(":last", "?");

  private static final String COUNTERS =
      "; SELECT counter_key, expires_at, amount FROM counter WHERE counter_key = ANY (?)";

  private static final String CLAIMS =
      """
      ; SELECT claim_key, request, basis, record_id, expires_at
          FROM idempotency
         WHERE claim_key = ANY (?)
      """;

  /** Nothing is written before a transaction has begun, so giving up early does no harm. */
  private static final int BEGIN_MS = 2_500;

  private static final int WRITE_MS = 4_500;

  private final Connection connection;
  private final SeenLog seen;
  private final Sweeper sweeper;
  private final TileEdge edge;
  private final PostgresWrites write;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  PostgresSession(Connection connection, SeenLog seen, List<Storage.Sweep> sweeps)
      throws SQLException {
    this.connection = connection;
    this.seen = seen;
    connection.setNetworkTimeout(Runnable::run, WRITE_MS);
    this.sweeper = new Sweeper(connection, sweeps);
    this.edge = new TileEdge(connection);
    this.write = new PostgresWrites(connection);
  }

  @Override
  public Opening begin(long known, Set<CounterKey> counters, Set<CounterKey> claims)
      throws SQLException {
    String sql = BEGIN + (counters.isEmpty() ? "" : COUNTERS) + (claims.isEmpty() ? "" : CLAIMS);
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    statement.setLong(1, LOCK);
    statement.setLong(2, known);
    SeenLog.Seen before = seen.seen();
    statement.setLong(3, SeenLog.last(before));
    int parameter = 4;
    if (!counters.isEmpty()) {
      statement.setObject(parameter++, keys(counters));
    }
    if (!claims.isEmpty()) {
      statement.setObject(parameter, keys(claims));
    }
    connection.setNetworkTimeout(Runnable::run, BEGIN_MS);
    statement.execute();
    connection.setNetworkTimeout(Runnable::run, WRITE_MS);
    statement.getMoreResults(); // skips the result of the lock
    List<Change> changes = rows(statement, row -> new Change(row.getLong(1), row.getString(2)));
    statement.getMoreResults();
    long nextIndex = seen.extended(before, rows(statement, SeenLog.Head::read));
    Map<CounterKey, Counter> loaded = new HashMap<>();
    counters.forEach(key -> loaded.put(key, new Counter()));
    if (!counters.isEmpty()) {
      statement.getMoreResults();
      readCounters(statement, loaded);
    }
    Map<CounterKey, HeldKey> held = new HashMap<>();
    if (!claims.isEmpty()) {
      statement.getMoreResults();
      readClaims(statement, held);
    }
    return new Opening(nextIndex, changes, loaded, held);
  }

  private static void readCounters(PreparedStatement statement, Map<CounterKey, Counter> into)
      throws SQLException {
    try (ResultSet row = statement.getResultSet()) {
      while (row.next()) {
        Counter counter = into.get(key(row.getBytes(1)));
        if (counter != null) {
          counter.add(row.getLong(2), row.getLong(3));
        }
      }
    }
  }

  private static void readClaims(PreparedStatement statement, Map<CounterKey, HeldKey> into)
      throws SQLException {
    try (ResultSet row = statement.getResultSet()) {
      while (row.next()) {
        into.put(
            key(row.getBytes(1)),
            new HeldKey(
                row.getBytes(2), row.getBytes(3), Rows.uuid(row.getBytes(4)), row.getLong(5)));
      }
    }
  }

  private static <T> List<T> rows(PreparedStatement statement, Sql.Row<T> read)
      throws SQLException {
    try (ResultSet row = statement.getResultSet()) {
      var found = new ArrayList<T>();
      while (row.next()) {
        found.add(read.read(row));
      }
      return found;
    }
  }

  private static CounterKey key(byte[] bytes) {
    UUID both = Rows.uuid(bytes);
    return new CounterKey(both.getMostSignificantBits(), both.getLeastSignificantBits());
  }

  private static byte[][] keys(Set<CounterKey> keys) {
    return keys.stream().map(CounterKey::bytes).toArray(byte[][]::new);
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
    write.commit(writes);
    seen.appended(writes.firstIndex, writes.records);
  }

  @Override
  public void rollback() throws SQLException {
    edge.forget();
    connection.rollback();
  }

  @Override
  public void sweep(long horizonMs) throws SQLException {
    // Runs under the log's lock, so that it blocks no other writer. Another node may do it as well.
    Optional<Long> now =
        Sql.of("SELECT " + DB_NOW_MS + " WHERE pg_try_advisory_xact_lock(:lock)", LOCK)
            .first(connection, row -> row.getLong(1));
    if (now.isPresent()) {
      sweeper.step(Math.min(horizonMs, now.get() - ExpiryHorizon.MARGIN_MS));
    }
    connection.commit();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}

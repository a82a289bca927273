package dev.safeconduct.ledger;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of the SQLite writer, prepared once. */
final class SqliteStatements {
  private final Connection connection;
  private final PreparedStatement append;
  private final PreparedStatement counter;
  private final PreparedStatement putSum;
  private final PreparedStatement forget;
  private final PreparedStatement claim;
  private final PreparedStatement putClaim;

  SqliteStatements(Connection connection) throws SQLException {
    this.connection = connection;
    append = connection.prepareStatement(AuditRows.INSERT);
    counter =
        connection.prepareStatement("SELECT expires_at, amount FROM counter WHERE counter_key = ?");
    putSum =
        connection.prepareStatement(
            """
            INSERT INTO counter (counter_key, expires_at, amount)
            VALUES (?, ?, ?)
                ON CONFLICT (counter_key, expires_at) DO UPDATE SET amount = excluded.amount
            """);
    forget =
        connection.prepareStatement(
            "DELETE FROM counter WHERE counter_key = ? AND expires_at <= ?");
    claim =
        connection.prepareStatement(
            "SELECT request, basis, record_id, expires_at FROM idempotency WHERE claim_key = ?");
    putClaim =
        connection.prepareStatement(
            """
            INSERT INTO idempotency (claim_key, request, basis, record_id, expires_at)
            VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (claim_key)
                DO UPDATE SET request = excluded.request, basis = excluded.basis,
                              record_id = excluded.record_id, expires_at = excluded.expires_at
            """);
  }

  Counter counter(CounterKey key) throws SQLException {
    counter.setBytes(1, key.bytes());
    try (ResultSet rows = counter.executeQuery()) {
      var found = new Counter();
      while (rows.next()) {
        found.add(rows.getLong(1), rows.getLong(2));
      }
      return found;
    }
  }

  @Nullable HeldKey claim(CounterKey key) throws SQLException {
    claim.setBytes(1, key.bytes());
    try (ResultSet row = claim.executeQuery()) {
      return row.next()
          ? new HeldKey(
              row.getBytes(1), row.getBytes(2), Rows.uuid(row.getBytes(3)), row.getLong(4))
          : null;
    }
  }

  void write(Writes writes) throws SQLException {
    long index = writes.firstIndex;
    for (LogEntry entry : writes.records) {
      AuditRows.bind(append, index++, entry);
      append.addBatch(); // a third less work in the driver than single statements
    }
    append.executeBatch();
    for (TileEdge.Row tile : writes.tiles) {
      tile.put(connection);
    }
    for (Map.Entry<Writes.CounterRow, Long> sum : writes.sums.entrySet()) {
      putSum.setBytes(1, sum.getKey().key().bytes());
      putSum.setLong(2, sum.getKey().expiresAtMs());
      putSum.setLong(3, sum.getValue());
      putSum.addBatch();
    }
    putSum.executeBatch();
    for (CounterKey key : writes.stale) {
      forget.setBytes(1, key.bytes());
      forget.setLong(2, writes.horizonMs);
      forget.executeUpdate();
    }
    for (Map.Entry<CounterKey, HeldKey> held : writes.claims.entrySet()) {
      putClaim(held.getKey(), held.getValue());
    }
    for (Change change : writes.changes) {
      Sql.of(
              "INSERT INTO change (sequence, subject, at_ms) VALUES (:sequence, :subject, :at)",
              change.sequence(),
              change.subject(),
              writes.nowMs)
          .update(connection);
    }
  }

  private void putClaim(CounterKey key, HeldKey held) throws SQLException {
    putClaim.setBytes(1, key.bytes());
    putClaim.setBytes(2, held.request());
    putClaim.setBytes(3, held.basis());
    putClaim.setBytes(4, Sql.bytes(held.recordId()));
    putClaim.setLong(5, held.expiresAtMs());
    putClaim.executeUpdate();
  }
}

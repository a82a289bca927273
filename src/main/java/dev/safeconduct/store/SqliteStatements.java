package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Reservation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of the SQLite writer, prepared once. */
final class SqliteStatements {
  static final String CHANGES_AFTER =
      "SELECT sequence, subject FROM change WHERE sequence > ? ORDER BY sequence";

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
            "INSERT INTO counter (counter_key, expires_at, amount) VALUES (?, ?, ?)"
                + " ON CONFLICT (counter_key, expires_at) DO UPDATE SET amount = excluded.amount");
    forget =
        connection.prepareStatement(
            "DELETE FROM counter WHERE counter_key = ? AND expires_at <= ?");
    claim =
        connection.prepareStatement(
            "SELECT request, basis, record_id, expires_at FROM idempotency WHERE claim_key = ?");
    putClaim =
        connection.prepareStatement(
            "INSERT INTO idempotency (claim_key, request, basis, record_id, expires_at)"
                + " VALUES (?, ?, ?, ?, ?) ON CONFLICT (claim_key) DO UPDATE SET request ="
                + " excluded.request, basis = excluded.basis, record_id = excluded.record_id,"
                + " expires_at = excluded.expires_at");
  }

  long nextIndex() throws SQLException {
    return Sql.list(
            connection,
            "SELECT coalesce(max(log_index) + 1, 0) FROM audit",
            row -> row.getLong(1),
            List.of())
        .getFirst();
  }

  List<Change> changesAfter(long known) throws SQLException {
    return Sql.list(
        connection,
        CHANGES_AFTER,
        row -> new Change(row.getLong(1), row.getString(2)),
        List.of(known));
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
              row.getBytes(1), row.getBytes(2), AuditRows.uuid(row.getBytes(3)), row.getLong(4))
          : null;
    }
  }

  void write(Writes writes) throws SQLException {
    long index = writes.firstIndex;
    for (LogEntry entry : writes.records) {
      AuditRows.bind(append, index++, entry);
      append.addBatch(); // a third less work in the driver than a statement each
    }
    append.executeBatch();
    for (TileRow tile : writes.tiles) {
      TileRow.put(connection, tile);
    }
    for (Map.Entry<Slot, Long> sum : writes.sums.entrySet()) {
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
    for (Reservation reservation : writes.reservations) {
      Sql.update(connection, ReservationRows.INSERT, ReservationRows.values(reservation));
    }
    for (Change change : writes.changes) {
      Sql.update(
          connection,
          "INSERT INTO change (sequence, subject, at_ms) VALUES (?, ?, ?)",
          change.sequence(),
          change.subject(),
          writes.nowMs);
    }
  }

  private void putClaim(CounterKey key, HeldKey held) throws SQLException {
    putClaim.setBytes(1, key.bytes());
    putClaim.setBytes(2, held.request());
    putClaim.setBytes(3, held.basis());
    putClaim.setBytes(4, AuditRows.bytes(held.recordId()));
    putClaim.setLong(5, held.expiresAtMs());
    putClaim.executeUpdate();
  }
}

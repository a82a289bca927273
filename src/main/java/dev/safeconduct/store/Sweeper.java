package dev.safeconduct.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Deletes expired rows a little at a time, walking through each table by its key, so that the
 * writer is never held up and no index on the expiry is needed.
 */
final class Sweeper {
  private static final int ROWS = 1_000;

  /** For a day after it expired, whoever asks again hears how a reservation ended. */
  private static final long KEPT_RESERVATIONS_MS = 86_400_000;

  private static final int KEPT_CHANGES = SqlChangeFeed.REMEMBERED;

  private final Connection connection;
  private Place counter = Place.START;
  private Place claim = Place.START;

  Sweeper(Connection connection) {
    this.connection = connection;
  }

  void step(long horizonMs) throws SQLException {
    counter = sweepCounters(horizonMs);
    claim = sweepClaims(horizonMs);
    sweepReservations(horizonMs);
    SqlApprovals.sweep(connection, horizonMs);
    Sql.update(
        connection,
        "DELETE FROM change WHERE sequence <= (SELECT max(sequence) FROM change) - ? AND at_ms <= ?",
        KEPT_CHANGES,
        horizonMs);
  }

  private Place sweepCounters(long horizonMs) throws SQLException {
    Optional<Place> last =
        last(
            "SELECT counter_key, expires_at FROM counter WHERE (counter_key, expires_at) > (?, ?)"
                + " ORDER BY counter_key, expires_at LIMIT 1 OFFSET ?",
            List.of(counter.key(), counter.expiresAtMs(), ROWS - 1));
    // What was taken and given back counts for nothing, whenever it expires.
    String range =
        "DELETE FROM counter WHERE (expires_at <= ? OR amount = 0)"
            + " AND (counter_key, expires_at) > (?, ?)";
    if (last.isEmpty()) {
      Sql.update(connection, range, horizonMs, counter.key(), counter.expiresAtMs());
      return Place.START;
    }
    Sql.update(
        connection,
        range + " AND (counter_key, expires_at) <= (?, ?)",
        horizonMs,
        counter.key(),
        counter.expiresAtMs(),
        last.get().key(),
        last.get().expiresAtMs());
    return last.get();
  }

  private Place sweepClaims(long horizonMs) throws SQLException {
    Optional<Place> last =
        last(
            "SELECT claim_key, expires_at FROM idempotency WHERE claim_key > ?"
                + " ORDER BY claim_key LIMIT 1 OFFSET ?",
            List.of(claim.key(), ROWS - 1));
    String range = "DELETE FROM idempotency WHERE expires_at <= ? AND claim_key > ?";
    if (last.isEmpty()) {
      Sql.update(connection, range, horizonMs, claim.key());
      return Place.START;
    }
    Sql.update(connection, range + " AND claim_key <= ?", horizonMs, claim.key(), last.get().key());
    return last.get();
  }

  /** They expire in the order of their keys, so the first are the oldest. */
  private void sweepReservations(long horizonMs) throws SQLException {
    if (horizonMs < KEPT_RESERVATIONS_MS) {
      return; // nothing has been written yet, so there is no horizon
    }
    Sql.update(
        connection,
        "DELETE FROM reservation WHERE expires_at <= ? AND record_id IN"
            + " (SELECT record_id FROM reservation ORDER BY record_id LIMIT ?)",
        horizonMs - KEPT_RESERVATIONS_MS,
        ROWS);
  }

  private Optional<Place> last(String sql, List<Object> parameters) throws SQLException {
    return Sql.list(connection, sql, row -> new Place(row.getBytes(1), row.getLong(2)), parameters)
        .stream()
        .findFirst();
  }

  @SuppressWarnings("ArrayRecordComponent") // a place to go on from, never compared
  private record Place(byte[] key, long expiresAtMs) {
    static final Place START = new Place(new byte[0], Long.MIN_VALUE);
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Deletes expired rows in small steps, walking through each table by its primary key. The writer is
 * never blocked for long and no index on the expiry is needed.
 */
final class Sweeper {
  private static final int ROWS = 1_000;
  private static final int KEPT_CHANGES = ChangeFeed.REMEMBERED;

  private static final String NEXT_COUNTER =
      """
      SELECT counter_key, expires_at
        FROM counter
       WHERE (counter_key, expires_at) > (:key, :expires)
       ORDER BY counter_key, expires_at
       LIMIT 1 OFFSET :rows
      """;

  /** Charges that were taken and refunded add up to zero, whatever their expiry. */
  private static final String DELETE_COUNTERS =
      """
      DELETE FROM counter
       WHERE (expires_at <= :horizon OR amount = 0) AND (counter_key, expires_at) > (:key, :expires)
      """;

  private static final String NEXT_CLAIM =
      """
      SELECT claim_key, expires_at
        FROM idempotency
       WHERE claim_key > :key
       ORDER BY claim_key
       LIMIT 1 OFFSET :rows
      """;

  private static final String DELETE_CLAIMS =
      "DELETE FROM idempotency WHERE expires_at <= :horizon AND claim_key > :key";

  private static final String DELETE_CHANGES =
      """
      DELETE FROM change
       WHERE sequence <= (SELECT max(sequence) FROM change) - :kept AND at_ms <= :horizon
      """;

  private final Connection connection;
  private final List<Storage.Sweep> sweeps;
  private Place counter = Place.START;
  private Place claim = Place.START;

  Sweeper(Connection connection, List<Storage.Sweep> sweeps) {
    this.connection = connection;
    this.sweeps = sweeps;
  }

  void step(long horizonMs) throws SQLException {
    counter = sweepCounters(horizonMs);
    claim = sweepClaims(horizonMs);
    for (Storage.Sweep sweep : sweeps) {
      sweep.delete(connection, horizonMs);
    }
    Sql.of(DELETE_CHANGES, KEPT_CHANGES, horizonMs).update(connection);
  }

  private Place sweepCounters(long horizonMs) throws SQLException {
    Optional<Place> last =
        Sql.of(NEXT_COUNTER, counter.key(), counter.expiresAtMs(), ROWS - 1)
            .first(connection, Place::read);
    if (last.isEmpty()) {
      Sql.of(DELETE_COUNTERS, horizonMs, counter.key(), counter.expiresAtMs()).update(connection);
      return Place.START;
    }
    Sql.of(DELETE_COUNTERS + " AND (counter_key, expires_at) <= (:lastKey, :lastExpires)")
        .set("horizon", horizonMs)
        .set("key", counter.key())
        .set("expires", counter.expiresAtMs())
        .set("lastKey", last.get().key())
        .set("lastExpires", last.get().expiresAtMs())
        .update(connection);
    return last.get();
  }

  private Place sweepClaims(long horizonMs) throws SQLException {
    Optional<Place> last = Sql.of(NEXT_CLAIM, claim.key(), ROWS - 1).first(connection, Place::read);
    if (last.isEmpty()) {
      Sql.of(DELETE_CLAIMS, horizonMs, claim.key()).update(connection);
      return Place.START;
    }
    Sql.of(DELETE_CLAIMS + " AND claim_key <= :last", horizonMs, claim.key(), last.get().key())
        .update(connection);
    return last.get();
  }

  @SuppressWarnings("ArrayRecordComponent") // a position to continue from, never compared
  private record Place(byte[] key, long expiresAtMs) {
    static final Place START = new Place(new byte[0], Long.MIN_VALUE);

    static Place read(ResultSet row) throws SQLException {
      return new Place(row.getBytes(1), row.getLong(2));
    }
  }
}

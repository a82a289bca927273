package dev.safeconduct.verify;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.LedgerStep;
import dev.safeconduct.ledger.Refund;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.verify.Reservation.Kind;
import dev.safeconduct.verify.Reservation.Settlement;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores reservations. {@link #opening} creates each one with its decision. Each is settled at most
 * once, in one transaction with its audit record.
 */
public final class Reservations {
  private static final String COLUMNS =
      "record_id, org, agent, policy, charges, claim_key, expires_at";

  private static final String SELECT =
      "SELECT " + COLUMNS + ", settlement, settled_at FROM reservation";

  private static final String INSERT = Sql.insert("reservation", COLUMNS);

  private static final String SETTLE =
      """
      UPDATE reservation SET settlement = :kind, settled_at = :at
       WHERE record_id = :id AND org = :org AND settlement IS NULL AND expires_at > :at
      """;

  /** Reservations expire in the order of their keys, so the first are the oldest. */
  private static final String SWEEP =
      """
      DELETE FROM reservation
       WHERE expires_at <= :before
         AND record_id IN (SELECT record_id FROM reservation ORDER BY record_id LIMIT :limit)
      """;

  private static final int SWEPT_AT_ONCE = 1_000;

  /** For a day after a reservation expires, its outcome can still be read. */
  private static final long KEPT_MS = 86_400_000;

  /** A charge's key, amount and expiry. */
  private static final int CHARGE_BYTES = 4 * Long.BYTES;

  private final Storage storage;

  public Reservations(Storage storage) {
    this.storage = storage;
  }

  /** Returns the step that opens the reservation in the transaction of its decision. */
  public static LedgerStep opening(Reservation reservation) {
    return (connection, _) -> {
      Sql.of(INSERT)
          .set("record_id", reservation.decisionId())
          .set("org", reservation.org())
          .set("agent", reservation.agentId())
          .set("policy", reservation.policyId())
          .set("charges", bytes(reservation.charges()))
          .set("claim_key", reservation.claim().map(CounterKey::bytes))
          .set("expires_at", reservation.expiresAt())
          .update(connection);
      return true;
    };
  }

  /** Returns the decision's reservation if the tenant may see it. */
  public Optional<Reservation> find(Tenant tenant, UUID decisionId) {
    var where = Where.of(tenant, "org").and("record_id = :id", decisionId);
    return storage.first(Sql.of(SELECT, where), Reservations::read);
  }

  /**
   * Commits the charges.
   *
   * @return false if it was settled or had expired at the record's time; then nothing is written
   */
  public boolean commit(Reservation reservation, AuditRecord entry) {
    return storage.update(settling(reservation, Kind.COMMITTED, entry.at()), entry);
  }

  /**
   * Releases every charge to its counter, and frees the idempotency key.
   *
   * @return false if it was settled or had expired at the record's time; then nothing is written
   */
  public boolean release(Reservation reservation, AuditRecord entry) {
    Sql settling = settling(reservation, Kind.RELEASED, entry.at());
    return storage.refund(
        new Refund(
            reservation.decisionId(),
            reservation.charges(),
            reservation.claim(),
            (connection, _) -> settling.update(connection) == 1),
        entry);
  }

  private static Sql settling(Reservation reservation, Kind kind, Instant at) {
    return Sql.of(SETTLE, kind.wire(), at, reservation.decisionId(), reservation.org());
  }

  /** Deletes a batch of reservations that expired long ago. */
  public static void sweep(Connection connection, long horizonMs) throws SQLException {
    if (horizonMs >= KEPT_MS) { // else nothing has been written yet, so there is no horizon
      Sql.of(SWEEP, horizonMs - KEPT_MS, SWEPT_AT_ONCE).update(connection);
    }
  }

  private static Reservation read(ResultSet row) throws SQLException {
    String settlement = row.getString("settlement");
    return new Reservation(
        Rows.uuid(row, "record_id"),
        new OrgId(row.getString("org")),
        row.getString("agent"),
        row.getString("policy"),
        charges(row.getBytes("charges")),
        Optional.ofNullable(row.getBytes("claim_key")).map(bytes -> key(ByteBuffer.wrap(bytes))),
        Rows.time(row, "expires_at"),
        settlement == null
            ? Optional.empty()
            : Optional.of(new Settlement(kind(settlement), Rows.time(row, "settled_at"))));
  }

  private static Kind kind(String wire) throws SQLException {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.wire().equals(wire))
        .findFirst()
        .orElseThrow(() -> new SQLException("no such settlement: " + wire));
  }

  private static byte[] bytes(List<Charge> charges) {
    ByteBuffer bytes = ByteBuffer.allocate(charges.size() * CHARGE_BYTES);
    for (Charge charge : charges) {
      bytes.put(charge.key().bytes()).putLong(charge.amount()).putLong(charge.expiresAtMs());
    }
    return bytes.array();
  }

  private static List<Charge> charges(byte[] stored) {
    var charges = new ArrayList<Charge>();
    ByteBuffer bytes = ByteBuffer.wrap(stored);
    while (bytes.hasRemaining()) {
      charges.add(new Charge(key(bytes), bytes.getLong(), bytes.getLong()));
    }
    return charges;
  }

  private static CounterKey key(ByteBuffer bytes) {
    return new CounterKey(bytes.getLong(), bytes.getLong());
  }
}

package dev.safeconduct.store;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Reservation;
import dev.safeconduct.usage.Reservation.Kind;
import dev.safeconduct.usage.Reservation.Settlement;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a reservation becomes a row and comes back. */
final class ReservationRows {
  private static final String COLUMNS =
      "record_id, org, agent, policy, charges, claim_key, expires_at";

  static final String INSERT =
      "INSERT INTO reservation (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?)";

  static final String SELECT = "SELECT " + COLUMNS + ", settlement, settled_at FROM reservation";

  /** A charge's key, amount and expiry. */
  private static final int CHARGE_BYTES = 4 * Long.BYTES;

  private ReservationRows() {}

  static @Nullable Object[] values(Reservation reservation) {
    return new @Nullable Object[] {
      AuditRows.bytes(reservation.decisionId()),
      Sql.text(reservation.org().value()),
      Sql.text(reservation.agentId()),
      Sql.text(reservation.policyId()),
      bytes(reservation.charges()),
      reservation.claim().map(CounterKey::bytes).orElse(null),
      reservation.expiresAt().toEpochMilli()
    };
  }

  /** Whether it was open at the time; it is no longer then. */
  static boolean settle(Connection connection, Reservation reservation, Kind kind, Instant at)
      throws SQLException {
    return Sql.update(
            connection,
            "UPDATE reservation SET settlement = ?, settled_at = ?"
                + " WHERE record_id = ? AND org = ? AND settlement IS NULL AND expires_at > ?",
            kind.wire(),
            at.toEpochMilli(),
            AuditRows.bytes(reservation.decisionId()),
            reservation.org().value(),
            at.toEpochMilli())
        == 1;
  }

  static Reservation read(ResultSet row) throws SQLException {
    byte[] claim = row.getBytes("claim_key");
    String settlement = row.getString("settlement");
    return new Reservation(
        AuditRows.uuid(row.getBytes("record_id")),
        new OrgId(row.getString("org")),
        row.getString("agent"),
        row.getString("policy"),
        charges(row.getBytes("charges")),
        Optional.ofNullable(claim).map(bytes -> key(ByteBuffer.wrap(bytes))),
        Instant.ofEpochMilli(row.getLong("expires_at")),
        settlement == null
            ? Optional.empty()
            : Optional.of(
                new Settlement(kind(settlement), Instant.ofEpochMilli(row.getLong("settled_at")))));
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

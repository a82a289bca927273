package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Reservation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a batch adds up to, as a few statements sent at once: each table's rows travel as one array
 * a column.
 */
final class PostgresWrites {
  private static final String APPEND =
      "INSERT INTO audit ("
          + AuditRows.COLUMNS
          + ") SELECT i, r, k, o, t, a, p, nullif(w, -1), c, b, s, d, x, y FROM unnest(?::bigint[],"
          + " ?::bytea[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::smallint[],"
          + " ?::text[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[])"
          + " AS u (i, r, k, o, t, a, p, w, c, b, s, d, x, y)";

  private static final String SUMS =
      "INSERT INTO counter (counter_key, expires_at, amount)"
          + " SELECT * FROM unnest(?::bytea[], ?::bigint[], ?::bigint[])"
          + " ON CONFLICT (counter_key, expires_at) DO UPDATE SET amount = excluded.amount";

  private static final String FORGET =
      "DELETE FROM counter WHERE counter_key = ANY (?::bytea[]) AND expires_at <= least(?,"
          + " (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ?)";

  private static final String CLAIMS =
      "INSERT INTO idempotency (claim_key, request, basis, record_id, expires_at)"
          + " SELECT * FROM unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bigint[])"
          + " ON CONFLICT (claim_key) DO UPDATE SET request = excluded.request,"
          + " basis = excluded.basis, record_id = excluded.record_id,"
          + " expires_at = excluded.expires_at";

  private static final String CHANGES =
      "INSERT INTO change (sequence, subject, at_ms)"
          + " SELECT s, n, ? FROM unnest(?::bigint[], ?::text[]) AS u (s, n);"
          + " SELECT pg_notify('"
          + PostgresFollower.CHANNEL
          + "', '')";

  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  PostgresWrites(Connection connection) {
    this.connection = connection;
  }

  void run(Writes writes) throws SQLException {
    var statements = new ArrayList<String>();
    var parameters = new ArrayList<Object>();
    if (!writes.records.isEmpty()) {
      statements.add(APPEND);
      append(writes, parameters);
    }
    if (!writes.sums.isEmpty()) {
      statements.add(SUMS);
      sums(writes, parameters);
    }
    if (!writes.stale.isEmpty()) {
      statements.add(FORGET);
      parameters.add(writes.stale.stream().map(CounterKey::bytes).toArray(byte[][]::new));
      parameters.add(writes.horizonMs);
      parameters.add(Writer.GRACE_MS);
    }
    if (!writes.claims.isEmpty()) {
      statements.add(CLAIMS);
      claims(writes, parameters);
    }
    if (!writes.changes.isEmpty()) {
      statements.add(CHANGES);
      parameters.add(writes.nowMs);
      parameters.add(writes.changes.stream().mapToLong(Change::sequence).toArray());
      parameters.add(
          writes.changes.stream().map(c -> Sql.text(c.subject())).toArray(String[]::new));
    }
    for (TileRow tile : writes.tiles) {
      TileRow.put(connection, tile);
    }
    if (!statements.isEmpty()) {
      execute(String.join("; ", statements), parameters);
    }
    for (Reservation reservation : writes.reservations) {
      Sql.update(connection, ReservationRows.INSERT, ReservationRows.values(reservation));
    }
  }

  private void execute(String sql, List<Object> parameters) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    for (int i = 0; i < parameters.size(); i++) {
      statement.setObject(i + 1, parameters.get(i));
    }
    statement.execute();
  }

  private static void append(Writes writes, List<Object> parameters) {
    int size = writes.records.size();
    var index = new long[size];
    var id = new byte[size][];
    var kind = new String[size];
    var org = new String[size];
    var at = new long[size];
    var agent = new @Nullable String[size];
    var policy = new @Nullable String[size];
    var allow = new short[size];
    var code = new @Nullable String[size];
    var body = new byte[size][];
    var signature = new byte[size][];
    var details = new byte[size][];
    var salt = new byte[size][];
    var commitment = new byte[size][];
    for (int i = 0; i < size; i++) {
      AuditRecord entry = writes.records.get(i).record();
      index[i] = writes.firstIndex + i;
      id[i] = AuditRows.bytes(entry.id());
      kind[i] = entry.kind().wire();
      org[i] = Sql.text(entry.org().value());
      at[i] = entry.at().toEpochMilli();
      agent[i] = AuditRows.agent(entry);
      policy[i] = AuditRows.policy(entry);
      allow[i] = (short) (entry.allow().isEmpty() ? -1 : entry.allow().get() ? 1 : 0);
      code[i] = AuditRows.code(entry);
      body[i] = entry.body();
      signature[i] = entry.signature();
      details[i] = entry.details();
      salt[i] = writes.records.get(i).commitment().salt();
      commitment[i] = writes.records.get(i).commitment().entry();
    }
    parameters.addAll(
        List.<Object>of(
            index,
            id,
            kind,
            org,
            at,
            agent,
            policy,
            allow,
            code,
            body,
            signature,
            details,
            salt,
            commitment));
  }

  private static void sums(Writes writes, List<Object> parameters) {
    int size = writes.sums.size();
    var key = new byte[size][];
    var expires = new long[size];
    var amount = new long[size];
    int i = 0;
    for (Map.Entry<Slot, Long> sum : writes.sums.entrySet()) {
      key[i] = sum.getKey().key().bytes();
      expires[i] = sum.getKey().expiresAtMs();
      amount[i++] = sum.getValue();
    }
    parameters.addAll(List.of(key, expires, amount));
  }

  private static void claims(Writes writes, List<Object> parameters) {
    List<HeldKey> held = List.copyOf(writes.claims.values());
    parameters.addAll(
        List.of(
            writes.claims.keySet().stream().map(CounterKey::bytes).toArray(byte[][]::new),
            held.stream().map(HeldKey::request).toArray(byte[][]::new),
            held.stream().map(HeldKey::basis).toArray(byte[][]::new),
            held.stream().map(key -> AuditRows.bytes(key.recordId())).toArray(byte[][]::new),
            held.stream().mapToLong(HeldKey::expiresAtMs).toArray()));
  }
}

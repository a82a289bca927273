package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.ByteStreamWriter;

/**
 * The writes of a batch as a few statements that are sent at once. Each table's rows are sent as
 * one array per column.
 */
final class PostgresWrites {
  private static final String APPEND =
      "INSERT INTO audit ("
          + AuditRows.COLUMNS
          + ")"
          + """
          SELECT log_index, record_id, kind, org, at_ms, agent, policy, nullif(allow, -1)::smallint, code,
                 substring(?::bytea FROM body_at FOR body_size), signature,
                 substring(?::bytea FROM details_at FOR details_size), salt, commitment
            FROM unnest(?::bigint[], ?::bytea[], ?::text[], ?::text[], ?::bigint[], ?::text[],
                        ?::text[], ?::int[], ?::text[], ?::int[], ?::int[], ?::bytea[], ?::int[],
                        ?::int[], ?::bytea[], ?::bytea[])
              AS batch (log_index, record_id, kind, org, at_ms, agent, policy, allow, code, body_at,
                        body_size, signature, details_at, details_size, salt, commitment)
          """;

  private static final String SUMS =
      """
      INSERT INTO counter (counter_key, expires_at, amount)
      SELECT * FROM unnest(?::bytea[], ?::bigint[], ?::bigint[])
          ON CONFLICT (counter_key, expires_at) DO UPDATE SET amount = excluded.amount
      """;

  private static final String FORGET =
      """
      DELETE FROM counter
       WHERE counter_key = ANY (?::bytea[])
         AND expires_at <= least(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ?)
      """;

  private static final String CLAIMS =
      """
      INSERT INTO idempotency (claim_key, request, basis, record_id, expires_at)
      SELECT * FROM unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bigint[])
          ON CONFLICT (claim_key)
          DO UPDATE SET request = excluded.request, basis = excluded.basis,
                        record_id = excluded.record_id, expires_at = excluded.expires_at
      """;

  private static final String CHANGES =
      """
      INSERT INTO change (sequence, subject, at_ms)
      SELECT sequence, subject, ? FROM unnest(?::bigint[], ?::text[]) AS batch (sequence, subject);
      SELECT pg_notify('safeconduct_change', '')
      """;

  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  PostgresWrites(Connection connection) {
    this.connection = connection;
  }

  /** Writes everything and commits, in one round trip. */
  void commit(Writes writes) throws SQLException {
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
      parameters.add(ExpiryHorizon.MARGIN_MS);
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
    for (TileEdge.Row tile : writes.tiles) {
      tile.put(connection);
    }
    if (statements.isEmpty()) {
      connection.commit();
    } else {
      // When one of them fails, the server skips the rest, COMMIT too.
      statements.add("COMMIT");
      execute(String.join("; ", statements), parameters);
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
    List<LogEntry> entries = writes.records;
    long first = writes.firstIndex;
    var bodies = new Joined(entries.stream().map(entry -> entry.record().body()).toList());
    var details = new Joined(entries.stream().map(entry -> entry.record().details()).toList());
    parameters.add(bodies);
    parameters.add(details);
    parameters.add(LongStream.range(first, first + entries.size()).toArray());
    parameters.add(bytes(entries, entry -> Sql.bytes(entry.record().id())));
    parameters.add(texts(entries, entry -> entry.record().kind().wire()));
    parameters.add(texts(entries, entry -> Sql.text(entry.record().org().value())));
    parameters.add(entries.stream().mapToLong(e -> e.record().at().toEpochMilli()).toArray());
    parameters.add(texts(entries, entry -> AuditRows.agent(entry.record())));
    parameters.add(texts(entries, entry -> AuditRows.policy(entry.record())));
    parameters.add(
        entries.stream()
            .mapToInt(e -> e.record().allow().map(is -> is ? 1 : 0).orElse(-1))
            .toArray());
    parameters.add(texts(entries, entry -> AuditRows.code(entry.record())));
    parameters.add(bodies.starts());
    parameters.add(bodies.sizes());
    parameters.add(bytes(entries, entry -> entry.record().signature()));
    parameters.add(details.starts());
    parameters.add(details.sizes());
    parameters.add(bytes(entries, entry -> entry.commitment().salt()));
    parameters.add(bytes(entries, entry -> entry.commitment().entry()));
  }

  private static byte[][] bytes(List<LogEntry> entries, Function<LogEntry, byte[]> column) {
    return entries.stream().map(column).toArray(byte[][]::new);
  }

  private static @Nullable String[] texts(
      List<LogEntry> entries, Function<LogEntry, @Nullable String> column) {
    var texts = new @Nullable String[entries.size()];
    Arrays.setAll(texts, i -> column.apply(entries.get(i)));
    return texts;
  }

  private static void sums(Writes writes, List<Object> parameters) {
    Set<Writes.CounterRow> rows = writes.sums.keySet();
    parameters.add(rows.stream().map(row -> row.key().bytes()).toArray(byte[][]::new));
    parameters.add(rows.stream().mapToLong(Writes.CounterRow::expiresAtMs).toArray());
    parameters.add(writes.sums.values().stream().mapToLong(Long::longValue).toArray());
  }

  private static void claims(Writes writes, List<Object> parameters) {
    List<HeldKey> held = List.copyOf(writes.claims.values());
    parameters.addAll(
        List.of(
            writes.claims.keySet().stream().map(CounterKey::bytes).toArray(byte[][]::new),
            held.stream().map(HeldKey::request).toArray(byte[][]::new),
            held.stream().map(HeldKey::basis).toArray(byte[][]::new),
            held.stream().map(key -> Sql.bytes(key.recordId())).toArray(byte[][]::new),
            held.stream().mapToLong(HeldKey::expiresAtMs).toArray()));
  }

  /**
   * A long column of all rows as one value, which the driver sends without a copy: it would make an
   * array of them anew, some 2 KB a decision.
   */
  private record Joined(List<byte[]> rows) implements ByteStreamWriter {
    int[] sizes() {
      return rows.stream().mapToInt(row -> row.length).toArray();
    }

    /** Where each row begins; SQL counts from 1. */
    int[] starts() {
      int[] starts = sizes();
      int next = 1;
      for (int i = 0; i < starts.length; i++) {
        int size = starts[i];
        starts[i] = next;
        next += size;
      }
      return starts;
    }

    @Override
    public int getLength() {
      return IntStream.of(sizes()).sum();
    }

    @Override
    public void writeTo(ByteStreamTarget target) throws IOException {
      for (byte[] row : rows) {
        target.getOutputStream().write(row);
      }
    }
  }
}

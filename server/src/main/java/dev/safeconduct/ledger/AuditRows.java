package dev.safeconduct.ledger;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts audit records to database rows and back. */
public final class AuditRows {
  static final String COLUMNS =
      """
      log_index, record_id, kind, org, at_ms, agent, policy, allow, code, body, signature,
      details, salt, commitment
      """;

  public static final String SELECT = "SELECT " + COLUMNS + " FROM audit ";

  static final String INSERT =
      "INSERT INTO audit (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  public static final String BY_ID = SELECT + "WHERE record_id = :id";

  private AuditRows() {}

  static void bind(PreparedStatement insert, long logIndex, LogEntry appended) throws SQLException {
    AuditRecord entry = appended.record();
    insert.setLong(1, logIndex);
    insert.setBytes(2, Sql.bytes(entry.id()));
    insert.setString(3, entry.kind().wire());
    insert.setString(4, Sql.text(entry.org().value()));
    insert.setLong(5, entry.at().toEpochMilli());
    insert.setString(6, agent(entry));
    insert.setString(7, policy(entry));
    if (entry.allow().isPresent()) {
      insert.setInt(8, entry.allow().get() ? 1 : 0);
    } else {
      insert.setObject(8, null);
    }
    insert.setString(9, code(entry));
    insert.setBytes(10, entry.body());
    insert.setBytes(11, entry.signature());
    insert.setBytes(12, entry.details());
    insert.setBytes(13, appended.commitment().salt());
    insert.setBytes(14, appended.commitment().entry());
  }

  static @Nullable String agent(AuditRecord entry) {
    return entry.agent().map(agent -> Sql.text(agent.value())).orElse(null);
  }

  static @Nullable String policy(AuditRecord entry) {
    return entry.policyId().map(Sql::text).orElse(null);
  }

  static @Nullable String code(AuditRecord entry) {
    return entry.code().map(Sql::text).orElse(null);
  }

  public static StoredRecord read(ResultSet row) throws SQLException {
    String kind = row.getString(3);
    int allow = row.getInt(8);
    Optional<Boolean> outcome = row.wasNull() ? Optional.empty() : Optional.of(allow == 1);
    var entry =
        new AuditRecord(
            Rows.uuid(row.getBytes(2)),
            RecordKind.parse(kind).orElseThrow(() -> new SQLException("no such kind: " + kind)),
            new OrgId(row.getString(4)),
            Instant.ofEpochMilli(row.getLong(5)),
            Optional.ofNullable(row.getString(6)).map(AgentId::new),
            Optional.ofNullable(row.getString(7)),
            outcome,
            Optional.ofNullable(row.getString(9)),
            row.getBytes(10),
            row.getBytes(11),
            row.getBytes(12));
    return new StoredRecord(
        row.getLong(1), entry, new Commitment(row.getBytes(13), row.getBytes(14)));
  }
}

package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Commitment;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How an audit record becomes a row and comes back. */
final class AuditRows {
  static final String COLUMNS =
      "log_index, record_id, kind, org, at_ms, agent, policy, allow, code, body, signature,"
          + " details, salt, commitment";

  static final String INSERT =
      "INSERT INTO audit (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  static final String BY_ID = "SELECT " + COLUMNS + " FROM audit WHERE record_id = ?";

  private AuditRows() {}

  static void bind(PreparedStatement insert, long logIndex, LogEntry appended) throws SQLException {
    AuditRecord entry = appended.record();
    insert.setLong(1, logIndex);
    insert.setBytes(2, bytes(entry.id()));
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
    return entry.agent().isPresent() ? Sql.text(entry.agent().get().value()) : null;
  }

  static @Nullable String policy(AuditRecord entry) {
    return entry.policyId().isPresent() ? Sql.text(entry.policyId().get()) : null;
  }

  static @Nullable String code(AuditRecord entry) {
    return entry.code().isPresent() ? Sql.text(entry.code().get()) : null;
  }

  static StoredRecord read(ResultSet row) throws SQLException {
    String kind = row.getString(3);
    int allow = row.getInt(8);
    Optional<Boolean> outcome = row.wasNull() ? Optional.empty() : Optional.of(allow == 1);
    var entry =
        new AuditRecord(
            uuid(row.getBytes(2)),
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

  static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }
}

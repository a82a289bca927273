package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Commitment;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

/** Takes records that were written before there was a Merkle log into it. */
final class CommitEarlierRecords implements JavaMigration {
  private static final int AT_ONCE = 1_000;

  private final SecureRandom random = new SecureRandom();

  @Override
  public MigrationVersion getVersion() {
    return MigrationVersion.fromVersion("012");
  }

  @Override
  public String getDescription() {
    return "commit earlier records";
  }

  @Override
  public @Nullable Integer getChecksum() {
    return null;
  }

  @Override
  public boolean canExecuteInTransaction() {
    return true;
  }

  @Override
  public void migrate(Context context) throws SQLException {
    Connection connection = context.getConnection();
    var edge = new TileEdge(connection);
    for (long first = 0; ; ) {
      List<StoredRecord> records =
          Sql.list(
              connection,
              "SELECT "
                  + AuditRows.COLUMNS
                  + " FROM audit WHERE log_index >= ? ORDER BY log_index LIMIT ?",
              AuditRows::read,
              List.of(first, AT_ONCE));
      if (records.isEmpty()) {
        return;
      }
      for (TileRow tile : edge.append(first, commit(connection, records))) {
        TileRow.put(connection, tile);
      }
      first += records.size();
    }
  }

  private List<LogEntry> commit(Connection connection, List<StoredRecord> records)
      throws SQLException {
    var entries = new ArrayList<LogEntry>();
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE audit SET details = ?, salt = ?, commitment = ? WHERE log_index = ?")) {
      for (StoredRecord stored : records) {
        AuditRecord record = withCanonicalDetails(stored.entry());
        Commitment commitment = Commitment.to(record, random);
        entries.add(new LogEntry(record, commitment));
        update.setBytes(1, record.details());
        update.setBytes(2, commitment.salt());
        update.setBytes(3, commitment.entry());
        update.setLong(4, stored.logIndex());
        update.addBatch();
      }
      update.executeBatch();
    }
    return entries;
  }

  /** What is committed to is canonical, so that it can be told from the record as it is shown. */
  private static AuditRecord withCanonicalDetails(AuditRecord record) throws SQLException {
    try {
      return new AuditRecord(
          record.id(),
          record.kind(),
          record.org(),
          record.at(),
          record.agent(),
          record.policyId(),
          record.allow(),
          record.code(),
          record.body(),
          record.signature(),
          CanonicalJson.bytes(Json.parseObject(record.details())));
    } catch (JsonFault e) {
      throw new SQLException("the details of record " + record.id() + " are not JSON", e);
    }
  }
}

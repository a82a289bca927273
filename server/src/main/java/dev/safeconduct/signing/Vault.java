package dev.safeconduct.signing;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Sealed keys and other small sealed or hashed secrets, shared by all nodes. */
public final class Vault {
  public static final String SELECT_KEY =
      """
      SELECT id, purpose, public_key, sealed_seed, created_at, retired_at, revoked_at
        FROM signing_key
      """;

  public static final String VALUE = "SELECT value FROM secret WHERE name = :name";

  private static final String INSERT_KEY =
      Sql.insert(
          "signing_key",
          "id, purpose, public_key, sealed_seed, created_at, retired_at, revoked_at");

  /** Found by an index of their own, so that a start takes no longer when the log grows. */
  public static final String KEY_RECORDS =
      AuditRows.SELECT + "WHERE kind = 'config' AND body LIKE '%signing_key_%' ORDER BY log_index";

  private final Storage storage;

  public Vault(Storage storage) {
    this.storage = storage;
  }

  public List<SealedKey> signingKeys() {
    return keys(storage.reads());
  }

  public static List<SealedKey> keys(Reads reads) {
    return reads.few(Sql.of(SELECT_KEY + " ORDER BY created_at, id"), Vault::readKey);
  }

  /** Returns what the log says of the keys. */
  public KeyRecords records() {
    var records = new KeyRecords();
    storage.reads().few(Sql.of(KEY_RECORDS), row -> added(records, row));
    return records;
  }

  /** Adds a row of {@link #KEY_RECORDS}; returns true. */
  public static boolean added(KeyRecords records, ResultSet row) throws SQLException {
    try {
      records.add(AuditRows.read(row).entry());
    } catch (SQLException | RuntimeException e) {
      records.unreadable(row.getLong(1));
    }
    return true;
  }

  /**
   * Adds a record for each key that the log does not have yet.
   *
   * @param entry creates the record from its members
   */
  public void record(List<SealedKey> keys, Function<JsonObject, AuditRecord> entry) {
    storage.change(connection -> {
      var known = new KeyRecords();
      Sql.of(KEY_RECORDS).list(connection, row -> added(known, row));
      List<AuditRecord> fresh =
          keys.stream()
              .filter(key -> !known.has(key.kid()))
              .map(key -> entry.apply(KeyRecords.created(key).build()))
              .toList();
      return new MutationResult<>(true, fresh, List.of());
    });
  }

  /** Adds the key unless its purpose has one that is not retired; returns whether it was added. */
  public boolean addFirst(SealedKey key) {
    return storage.change(connection -> {
      boolean absent =
          !Sql.of(
                  "SELECT 1 FROM signing_key WHERE purpose = :purpose AND retired_at IS NULL",
                  key.purpose().wire())
              .exists(connection);
      if (absent) {
        insertKey(connection, key);
      }
      return MutationResult.none(absent);
    });
  }

  /** Returns a named value (already sealed or hashed). */
  public Optional<byte[]> find(String name) {
    return value(storage.reads(), name);
  }

  public static Optional<byte[]> value(Reads reads, String name) {
    return reads.first(VALUE, row -> row.getBytes(1), name);
  }

  /** Stores the value unless the name has one; returns whether it was stored. */
  public boolean putIfAbsent(String name, byte[] value) {
    return storage.update(
            Sql.of(
                "INSERT INTO secret (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING",
                name,
                value))
        == 1;
  }

  /** Removes the value in a transaction; returns whether there was one. */
  public static boolean remove(Connection connection, String name) throws SQLException {
    return Sql.of("DELETE FROM secret WHERE name = :name", name).update(connection) == 1;
  }

  public static SealedKey readKey(ResultSet row) throws SQLException {
    String purpose = row.getString("purpose");
    return new SealedKey(
        row.getString("id"),
        Arrays.stream(Purpose.values())
            .filter(known -> known.wire().equals(purpose))
            .findFirst()
            .orElseThrow(() ->
                new IllegalStateException(
                    "The table signing_key has a row of an unknown purpose: " + purpose)),
        row.getBytes("public_key"),
        row.getBytes("sealed_seed"),
        Rows.time(row, "created_at"),
        Rows.optionalTime(row, "retired_at"),
        Rows.optionalTime(row, "revoked_at"));
  }

  /** Adds the key within a transaction. */
  public static void insertKey(Connection connection, SealedKey key) throws SQLException {
    Sql.of(INSERT_KEY)
        .set("id", key.id())
        .set("purpose", key.purpose().wire())
        .set("public_key", key.publicKey())
        .set("sealed_seed", key.sealedSeed())
        .set("created_at", key.createdAt())
        .set("retired_at", key.retiredAt())
        .set("revoked_at", key.revokedAt())
        .update(connection);
  }
}

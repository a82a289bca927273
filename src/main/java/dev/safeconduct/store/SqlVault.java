package dev.safeconduct.store;

import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.Vault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Sealed keys and small secrets as rows. */
record SqlVault(Writer writer, Reads reads) implements Vault {
  @Override
  public List<SealedKey> signingKeys() {
    return keys(reads);
  }

  static List<SealedKey> keys(Reads reads) {
    return reads.list(
        "SELECT id, purpose, public_key, sealed_seed, created_at, retired_at, revoked_at FROM signing_key"
            + " ORDER BY created_at, id",
        SqlVault::read,
        List.of());
  }

  @Override
  public boolean addFirst(SealedKey key) {
    return writer.change(connection -> {
      String purpose = key.purpose().wire();
      if (Sql.exists(
          connection,
          "SELECT 1 FROM signing_key WHERE purpose = ? AND retired_at IS NULL",
          purpose)) {
        return Effect.none(false);
      }
      insert(connection, key);
      return Effect.none(true);
    });
  }

  @Override
  public Optional<byte[]> find(String name) {
    return reads.first("SELECT value FROM secret WHERE name = ?", row -> row.getBytes(1), name);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] value) {
    return writer.change(connection ->
        Effect.none(
            Sql.update(
                    connection,
                    "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    name,
                    value)
                == 1));
  }

  static SealedKey read(ResultSet row) throws SQLException {
    String purpose = row.getString("purpose");
    return new SealedKey(
        row.getString("id"),
        Arrays.stream(Purpose.values())
            .filter(known -> known.wire().equals(purpose))
            .findFirst()
            .orElseThrow(() -> new SQLException("no such purpose: " + purpose)),
        row.getBytes("public_key"),
        row.getBytes("sealed_seed"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        Sql.instant(row, "retired_at"),
        Sql.instant(row, "revoked_at"));
  }

  static void insert(Connection connection, SealedKey key) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO signing_key"
            + " (id, purpose, public_key, sealed_seed, created_at, retired_at, revoked_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?)",
        key.id(),
        key.purpose().wire(),
        key.publicKey(),
        key.sealedSeed(),
        key.createdAt().toEpochMilli(),
        Sql.millis(key.retiredAt()),
        Sql.millis(key.revokedAt()));
  }
}

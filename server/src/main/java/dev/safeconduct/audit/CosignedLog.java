package dev.safeconduct.audit;

import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.tlog.VerifierKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Stored checkpoints with the cosignatures of witnesses. */
public final class CosignedLog {
  public static final String SELECT =
      "SELECT size, witness, signed_at, signature FROM log_cosignature";

  private static final String PUT =
      """
      INSERT INTO log_cosignature (size, witness, signed_at, signature)
      VALUES (:size, :witness, :time, :signature)
          ON CONFLICT (size, witness)
          DO UPDATE SET signed_at = excluded.signed_at, signature = excluded.signature
              WHERE excluded.signed_at > log_cosignature.signed_at
      """;

  private final Storage storage;

  public CosignedLog(Storage storage) {
    this.storage = storage;
  }

  /**
   * Stores a checkpoint under its size, with cosignatures; a witness's later one replaces its own.
   */
  public void add(long size, String note, List<Cosignature> cosignatures) {
    storage.change(connection -> {
      MerkleLog.keeping(size, note).update(connection);
      for (Cosignature cosignature : cosignatures) {
        Sql.of(PUT, size, cosignature.witness().text(), cosignature.time(), cosignature.signature())
            .update(connection);
      }
      return MutationResult.none(true);
    });
  }

  public List<Cosignature> of(long size) {
    return storage.list(SELECT + " WHERE size = :size ORDER BY witness", CosignedLog::read, size);
  }

  /** Returns the size of the largest cosigned checkpoint. */
  public Optional<Long> latestSize() {
    return storage.first(
        "SELECT size FROM log_cosignature ORDER BY size DESC LIMIT 1", row -> row.getLong(1));
  }

  public static Cosignature read(ResultSet row) throws SQLException {
    String witness = row.getString("witness");
    return new Cosignature(
        VerifierKey.parse(witness)
            .orElseThrow(() -> new SQLException("no verifier key: " + witness)),
        row.getLong("signed_at"),
        row.getBytes("signature"));
  }
}

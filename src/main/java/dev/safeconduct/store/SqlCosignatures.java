package dev.safeconduct.store;

import dev.safeconduct.audit.Cosignature;
import dev.safeconduct.audit.CosignedLog;
import dev.safeconduct.audit.tlog.VerifierKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Cosignatures as rows beside the checkpoints that are kept. */
record SqlCosignatures(Writer writer, Reads reads) implements CosignedLog {
  static final String COLUMNS = "size, witness, signed_at, signature";

  @Override
  public void add(long size, String note, List<Cosignature> cosignatures) {
    writer.change(connection -> {
      Sql.update(
          connection,
          "INSERT INTO log_checkpoint (size, note) VALUES (?, ?) ON CONFLICT DO NOTHING",
          size,
          note);
      for (Cosignature cosignature : cosignatures) {
        Sql.update(
            connection,
            "INSERT INTO log_cosignature ("
                + COLUMNS
                + ") VALUES (?, ?, ?, ?) ON CONFLICT (size, witness) DO UPDATE"
                + " SET signed_at = excluded.signed_at, signature = excluded.signature",
            size,
            cosignature.witness().text(),
            cosignature.time(),
            cosignature.signature());
      }
      return Effect.none(true);
    });
  }

  @Override
  public List<Cosignature> of(long size) {
    return reads.list(
        "SELECT " + COLUMNS + " FROM log_cosignature WHERE size = ? ORDER BY witness",
        SqlCosignatures::read,
        List.of(size));
  }

  @Override
  public Optional<String> latest() {
    return reads.first(
        "SELECT note FROM log_checkpoint WHERE size = (SELECT max(size) FROM log_cosignature)",
        row -> row.getString(1));
  }

  static Cosignature read(ResultSet row) throws SQLException {
    String witness = row.getString(2);
    return new Cosignature(
        VerifierKey.parse(witness)
            .orElseThrow(() -> new SQLException("no verifier key: " + witness)),
        row.getLong(3),
        row.getBytes(4));
  }
}

package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.Cosignature;
import dev.safeconduct.audit.CosignedLog;
import dev.safeconduct.audit.LogParts;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.SeenLog;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.signing.KeyRecords;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.Vault;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The log as stored, read page by page without trust. */
public final class StoredLog {
  /** The name under which the log's name is stored. */
  public static final String LOG_ORIGIN = "log_origin";

  private static final int PAGE = 1_000;

  private static final String ROWS =
      AuditRows.SELECT
          + """
          WHERE log_index > :after AND log_index <= :last
          ORDER BY log_index
          LIMIT :limit
          """;

  private static final String LAST = "SELECT coalesce(max(log_index), -1) FROM audit";

  /** What {@link CountDecisions} notes of records, as far as it is not in the index. */
  private static final String UNINDEXED =
      """
      WITH record AS (
        SELECT * FROM audit WHERE log_index >= :first AND log_index < :end
      ), seen AS (
        SELECT org, 'kind' AS facet, kind AS name FROM record
        UNION SELECT org, 'agent', agent FROM record
        UNION SELECT org, 'policy', policy FROM record
        UNION SELECT org, 'code', code FROM record
        UNION SELECT org, 'allow', CASE allow WHEN 1 THEN 'true' WHEN 0 THEN 'false' END FROM record
        UNION SELECT org, 'minute', substr(CAST(1000000000000000 + at_ms / 60000 AS TEXT), 2)
          FROM record
      )
      SELECT org, facet, name FROM seen
       WHERE name IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM log_part
                          WHERE log_part.org = seen.org AND part = :part
                            AND log_part.facet = seen.facet AND log_part.name = seen.name)
       ORDER BY org, facet, name
      """;

  /** One row of the log. */
  public sealed interface Row {
    /** A row that holds a record. */
    record Sound(StoredRecord record) implements Row {}

    /**
     * A row without a valid record.
     *
     * @param entry the content of its leaf, if that can be read
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Broken(long logIndex, String why, Optional<byte[]> entry) implements Row {}
  }

  /** A stored checkpoint: the size it is stored under, and the signed note. */
  record StoredCheckpoint(long size, String note) {}

  /**
   * A stored cosignature, or the reason why it cannot be parsed.
   *
   * @param size of the checkpoint it is for
   */
  public record Cosigned(long size, Optional<Cosignature> cosignature) {}

  private final Reads reads;

  StoredLog(Reads reads) {
    this.reads = reads;
  }

  /**
   * Reads no row, so that a damaged one is no fault here.
   *
   * @throws StoreFault when the database has no table of records
   */
  void demandTable() {
    list("the table of records", Sql.of("SELECT 1 FROM audit WHERE 1 = 0"), row -> row.getLong(1));
  }

  /** Returns the largest log that a node has seen, where this one is not it; 0 for none. */
  long disputed() {
    return list("what nodes have seen", Sql.of(SeenLog.OPEN), row -> row.getLong(1)).getFirst();
  }

  /** Passes on every row in log order, in constant memory. */
  public void each(Consumer<Row> row) {
    after(Long.MIN_VALUE, Long.MAX_VALUE, row);
  }

  /** Returns the rows of a part of the log in order, both ends included. */
  public void each(long first, long last, Consumer<Row> row) {
    after(first - 1, last, row);
  }

  private void after(long start, long last, Consumer<Row> row) {
    long after = start;
    while (true) {
      List<Placed> page;
      try {
        page = reads.attempt(Sql.of(ROWS, after, last, PAGE), StoredLog::row);
      } catch (SQLException e) {
        Optional<Long> reached = oneByOne(after, last, e, row);
        if (reached.isEmpty()) {
          return;
        }
        after = reached.get();
        continue;
      }
      for (Placed placed : page) {
        row.accept(placed.row());
        after = placed.logIndex();
      }
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  /**
   * Reads the next positions one after the other, because a damaged page of the database is among
   * them.
   *
   * @return the last position read; empty at the end of the log
   */
  private Optional<Long> oneByOne(long after, long last, SQLException fault, Consumer<Row> row) {
    long end;
    try {
      end = reads.attempt(Sql.of(LAST), found -> found.getLong(1)).getFirst();
    } catch (SQLException e) {
      row.accept(broken(Math.max(0, after + 1), "nothing from here on can be read", fault));
      return Optional.empty();
    }
    long first = Math.max(0, after + 1);
    long reached = Math.min(Math.min(last, end), first + PAGE - 1);
    for (long index = first; index <= reached; index++) {
      try {
        reads
            .attempt(Sql.of(ROWS, index - 1, index, 1), StoredLog::row)
            .forEach(placed -> row.accept(placed.row()));
      } catch (SQLException e) {
        row.accept(broken(index, "the database is damaged", e));
      }
    }
    return reached < first || reached >= Math.min(last, end)
        ? Optional.empty()
        : Optional.of(reached);
  }

  private static Row broken(long index, String why, Exception e) {
    return new Row.Broken(index, why + " (" + e.getMessage() + ")", Optional.empty());
  }

  private record Placed(long logIndex, Row row) {}

  /** An altered row may hold any bytes; that is a finding, not a failure. */
  private static Placed row(ResultSet row) throws SQLException {
    long index = row.getLong(1);
    try {
      long allow = row.getLong(8);
      StoredRecord record = AuditRows.read(row);
      IsoInstant.millis(record.entry().at());
      if (allow == 0 || allow == 1) {
        return new Placed(index, new Row.Sound(record));
      }
      return broken(row, "its outcome is neither yes nor no");
    } catch (SQLException | RuntimeException e) {
      return broken(row, String.valueOf(e.getMessage()));
    }
  }

  private static Placed broken(ResultSet row, String why) throws SQLException {
    byte[] entry = row.getBytes(14);
    return new Placed(
        row.getLong(1),
        new Row.Broken(
            row.getLong(1), why, Optional.ofNullable(entry).filter(bytes -> bytes.length == 32)));
  }

  /** Returns the stored hashes of a tile. */
  public Optional<byte[]> tile(int level, long index) {
    return list(
            "tile " + level + "/" + index,
            Sql.of(MerkleLog.TILE, level, index),
            row -> row.getBytes(1))
        .stream()
        .findFirst();
  }

  /** Returns the number of stored tiles. */
  public long tiles() {
    return list("the tiles", Sql.of("SELECT count(*) FROM log_tile"), row -> row.getLong(1))
        .getFirst();
  }

  /** Returns the end of what searches look up in the index; later records they read themselves. */
  long indexed() {
    return list("the end of the index of searches", Sql.of(LogParts.PARTED), row -> row.getLong(1))
        .stream()
        .findFirst()
        .orElse(0L);
  }

  /** Returns what a part of the log holds and the index of searches lacks. */
  List<String> unindexed(long part, long end) {
    return list(
        "the index of searches",
        Sql.of(UNINDEXED)
            .set("first", part * LogParts.PART)
            .set("end", Math.min(end, (part + 1) * LogParts.PART))
            .set("part", part),
        row -> row.getString(2) + " " + row.getString(3) + " of " + row.getString(1));
  }

  public List<Cosigned> cosignatures() {
    return list(
        "the cosignatures",
        Sql.of(CosignedLog.SELECT + " ORDER BY size, witness"),
        row -> {
          long size = row.getLong("size");
          try {
            return new Cosigned(size, Optional.of(CosignedLog.read(row)));
          } catch (SQLException | RuntimeException e) {
            return new Cosigned(size, Optional.empty());
          }
        });
  }

  /** Returns what the log says of the signing keys. */
  KeyRecords keyRecords() {
    var records = new KeyRecords();
    list("the records of keys", Sql.of(Vault.KEY_RECORDS), row -> Vault.added(records, row));
    return records;
  }

  /** Returns the rows of signing keys; rows that are not keys are faults. */
  public List<SealedKey> keys(Consumer<String> fault) {
    var keys = new ArrayList<SealedKey>();
    list(
            "the signing keys",
            Sql.of(Vault.SELECT_KEY + " ORDER BY created_at, id"),
            row -> {
              try {
                return Optional.of(Vault.readKey(row));
              } catch (SQLException | RuntimeException e) {
                fault.accept("a row of signing_key cannot be read: " + e.getMessage());
                return Optional.<SealedKey>empty();
              }
            })
        .forEach(key -> key.ifPresent(keys::add));
    return keys;
  }

  /** Returns the log's name, as checkpoints have it. */
  Optional<String> origin() {
    return list("the log's name", Sql.of(Vault.VALUE, LOG_ORIGIN), row -> row.getBytes(1)).stream()
        .findFirst()
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Returns the stored checkpoints that this service signed, oldest first. */
  public List<StoredCheckpoint> checkpoints() {
    return list(
        "the kept checkpoints",
        Sql.of("SELECT size, note FROM log_checkpoint ORDER BY size"),
        row -> new StoredCheckpoint(row.getLong("size"), row.getString("note")));
  }

  /** Runs a query on a table that may be damaged. */
  private <T> List<T> list(String what, Sql query, Sql.Row<T> row) {
    try {
      return reads.attempt(query, row);
    } catch (SQLException e) {
      throw new StoreFault(what + " cannot be read: " + e.getMessage(), e);
    }
  }
}

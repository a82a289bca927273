package dev.safeconduct.audit.stream;

import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The streams' positions, and which node sends. */
final class StreamCursors {
  private static final String SELECT =
      """
      SELECT name, next_index, resend_index, commitment, holder, beat, updated_at, failing_since,
             error
        FROM audit_stream
       WHERE name = :name
      """;

  private static final String INSERT =
      """
      INSERT INTO audit_stream (name, next_index, resend_index, commitment, holder, beat, updated_at)
          VALUES (:name, :next, :next, :commitment, '', 0, :now)
          ON CONFLICT (name) DO NOTHING
      """;

  /** Takes the stream from a holder that has shown no sign of life since the row was read. */
  private static final String TAKE =
      """
      UPDATE audit_stream SET holder = :me, beat = beat + 1
       WHERE name = :name AND holder = :holder AND beat = :beat
      """;

  private static final String SAVE =
      """
      UPDATE audit_stream
         SET next_index = :next, resend_index = :resend, commitment = :commitment,
             beat = beat + 1, updated_at = :now, failing_since = :since, error = :error,
             holder = :holder
       WHERE name = :name AND holder = :me
      """;

  private static final String SET_ASIDE =
      """
      INSERT INTO audit_stream_set_aside (name, first_index, last_index, records, answer, at_ms)
          VALUES (:name, :first, :last, :records, :answer, :now)
          ON CONFLICT (name, first_index, last_index) DO NOTHING
      """;

  private static final String ASIDE =
      """
      SELECT first_index, last_index, records, answer, at_ms
        FROM audit_stream_set_aside
       WHERE name = :name
       ORDER BY first_index DESC
       LIMIT :limit
      """;

  private static final String COUNT_ASIDE =
      "SELECT coalesce(sum(records), 0) FROM audit_stream_set_aside WHERE name = :name";

  private final Storage store;

  StreamCursors(Storage store) {
    this.store = store;
  }

  /**
   * Records that a destination has refused.
   *
   * @param records how many of those from {@code first} to {@code last}
   */
  record SetAside(long first, long last, long records, String answer, Instant at) {}

  /** Returns whether several nodes may use the database: a SQLite file has one user. */
  boolean isShared() {
    return store.database() instanceof PostgresDatabase;
  }

  Optional<StreamCursor> find(String name) {
    return store.first(SELECT, StreamCursors::read, name);
  }

  /** Creates the row, unless there is one. */
  void create(String name, long next, String commitment, Instant now) {
    store.update(
        Sql.of(INSERT)
            .set("name", name)
            .set("next", next)
            .set("commitment", bytes(commitment))
            .set("now", now));
  }

  /** Returns whether this node may send from now on. */
  boolean take(StreamCursor seen, String me) {
    return store.update(
            Sql.of(TAKE)
                .set("me", me)
                .set("name", seen.name())
                .set("holder", seen.holder())
                .set("beat", seen.beat()))
        == 1;
  }

  /**
   * Stores the cursor; its holder is empty when this node ends.
   *
   * @return false when another node has taken the stream
   */
  boolean save(StreamCursor cursor, String me) {
    return store.update(
            Sql.of(SAVE)
                .set("next", cursor.progress().next())
                .set("resend", cursor.progress().resend())
                .set("commitment", bytes(cursor.progress().commitment()))
                .set("now", cursor.updatedAt())
                .set("since", cursor.progress().failingSince())
                .set("error", cursor.progress().error())
                .set("holder", cursor.holder())
                .set("name", cursor.name())
                .set("me", me))
        == 1;
  }

  /** Keeps records that the destination refused; durable when it returns. */
  void setAside(String name, List<SetAside> refused) {
    store.change(connection -> {
      for (SetAside each : refused) {
        Sql.of(SET_ASIDE)
            .set("name", name)
            .set("first", each.first())
            .set("last", each.last())
            .set("records", each.records())
            .set("answer", each.answer())
            .set("now", each.at())
            .update(connection);
      }
      return MutationResult.none(true);
    });
  }

  /** Returns what was set aside, the newest first. */
  List<SetAside> setAside(String name, int limit) {
    return store.list(
        ASIDE,
        row ->
            new SetAside(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                Rows.time(row, "at_ms")),
        name,
        limit);
  }

  long countSetAside(String name) {
    return store.number(Sql.of(COUNT_ASIDE, name));
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static StreamCursor read(ResultSet row) throws SQLException {
    byte[] commitment = row.getBytes("commitment");
    return new StreamCursor(
        row.getString("name"),
        new StreamSender.Progress(
            row.getLong("next_index"),
            row.getLong("resend_index"),
            commitment == null ? "" : HexFormat.of().formatHex(commitment),
            Rows.optionalTime(row, "failing_since"),
            Rows.text(row, "error")),
        row.getString("holder"),
        row.getLong("beat"),
        Rows.time(row, "updated_at"));
  }
}

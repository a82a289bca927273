package dev.safeconduct.store;

import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The outbox as rows. */
record SqlOutbox(Writer writer, Reads reads) implements Outbox {
  @Override
  public void add(OutboxEntry entry) {
    writer.change(connection -> {
      insert(connection, entry);
      return Effect.none(true);
    });
  }

  /** Adds the entry to a transaction, together with what it tells of. */
  static void insert(Connection connection, OutboxEntry entry) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO mail_outbox (id, kind, subject, created_at, attempts, next_at)"
            + " VALUES (?, ?, ?, ?, ?, ?)",
        entry.id(),
        entry.kind(),
        entry.subject(),
        entry.createdAt().toEpochMilli(),
        entry.attempts(),
        entry.nextAt().toEpochMilli());
  }

  @Override
  public List<OutboxEntry> due(Instant now, int limit) {
    return reads.list(
        "SELECT id, kind, subject, created_at, attempts, next_at FROM mail_outbox"
            + " WHERE given_up_at IS NULL AND next_at <= ? ORDER BY next_at LIMIT ?",
        SqlOutbox::read,
        List.of(now.toEpochMilli(), limit));
  }

  @Override
  public boolean take(OutboxEntry entry, Instant nextAt) {
    return writer.change(connection ->
        Effect.none(
            Sql.update(
                    connection,
                    "UPDATE mail_outbox SET attempts = attempts + 1, next_at = ?"
                        + " WHERE id = ? AND attempts = ? AND given_up_at IS NULL",
                    nextAt.toEpochMilli(),
                    entry.id(),
                    entry.attempts())
                == 1));
  }

  @Override
  public void done(String id) {
    writer.change(connection ->
        Effect.none(Sql.update(connection, "DELETE FROM mail_outbox WHERE id = ?", id)));
  }

  @Override
  public void giveUp(String id, Instant at, String fault) {
    writer.change(connection ->
        Effect.none(
            Sql.update(
                connection,
                "UPDATE mail_outbox SET given_up_at = ?, fault = ? WHERE id = ?",
                at.toEpochMilli(),
                fault,
                id)));
  }

  @Override
  public List<Kept> kept(int limit) {
    return reads.list(
        "SELECT id, kind, subject, created_at, attempts, next_at, given_up_at, fault"
            + " FROM mail_outbox ORDER BY created_at DESC LIMIT ?",
        row -> {
          String fault = row.getString(8);
          return new Kept(read(row), row.getObject(7) != null, fault == null ? "" : fault);
        },
        List.of(limit));
  }

  private static OutboxEntry read(ResultSet row) throws SQLException {
    return new OutboxEntry(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        Instant.ofEpochMilli(row.getLong(4)),
        row.getInt(5),
        Instant.ofEpochMilli(row.getLong(6)));
  }
}

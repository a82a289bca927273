package dev.safeconduct.mail;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The queue of emails that are not yet sent, shared by all nodes. */
public final class Outbox {
  private static final String SELECT =
      """
      SELECT id, kind, subject, created_at, attempts, next_at, given_up_at, fault FROM mail_outbox
      """;

  private static final String INSERT =
      Sql.insert("mail_outbox", "id, kind, subject, created_at, attempts, next_at");

  private static final String NOT_YET_DUE =
      """
      SELECT subject FROM mail_outbox
       WHERE given_up_at IS NULL AND created_at <= :now AND next_at > :now AND attempts = 0
         AND kind = :kind
         AND substr(subject, 1, :length) = :prefix
      """;

  private static final String TAKE =
      """
      UPDATE mail_outbox SET attempts = attempts + 1, next_at = :next
       WHERE id = :id AND attempts = :attempts AND given_up_at IS NULL
      """;

  private final Storage storage;

  public Outbox(Storage storage) {
    this.storage = storage;
  }

  public void add(OutboxEntry entry) {
    addAll(List.of(entry));
  }

  /** Adds the entries in one transaction. */
  public void addAll(List<OutboxEntry> entries) {
    storage.change(connection -> {
      insert(connection, entries);
      return MutationResult.none(true);
    });
  }

  /** Adds the entry to the transaction that makes the change it reports. */
  public static void insert(Connection connection, OutboxEntry entry) throws SQLException {
    insert(connection, List.of(entry));
  }

  /** Adds the entries to the transaction that makes the change they report. */
  public static void insert(Connection connection, List<OutboxEntry> entries) throws SQLException {
    int[] _ =
        Sql.updateAll(
            connection,
            entries.stream()
                .map(entry ->
                    Sql.of(INSERT)
                        .set("id", entry.id())
                        .set("kind", entry.kind())
                        .set("subject", entry.subject())
                        .set("created_at", entry.createdAt())
                        .set("attempts", entry.attempts())
                        .set("next_at", entry.nextAt()))
                .toList());
  }

  /**
   * Returns the subjects with this beginning of entries of a kind that nobody has tried to send yet
   * because their time has not come, within a transaction.
   */
  public static Set<String> notYetDue(
      Connection connection, String kind, String prefix, Instant now) throws SQLException {
    return Set.copyOf(
        Sql.of(NOT_YET_DUE, now, kind, prefix.length(), prefix)
            .list(connection, row -> row.getString("subject")));
  }

  /** Returns the entries that are due, the longest waiting first. */
  public List<OutboxEntry> due(Instant now, int limit) {
    return storage
        .reads()
        .few(
            Sql.of(
                SELECT
                    + "WHERE given_up_at IS NULL AND next_at <= :now ORDER BY next_at LIMIT :limit",
                now,
                limit),
            Outbox::read);
  }

  /**
   * Claims the entry for one attempt: no other sender tries it before {@code nextAt}.
   *
   * @return false when another node or thread has claimed it
   */
  public boolean take(OutboxEntry entry, Instant nextAt) {
    return storage.update(Sql.of(TAKE, nextAt, entry.id(), entry.attempts())) == 1;
  }

  /** Removes an entry that is sent or no longer needed. */
  public void done(String id) {
    storage.update(Sql.of("DELETE FROM mail_outbox WHERE id = :id", id));
  }

  /** Marks the entry as given up; it stays in the queue for the operator to see. */
  public void giveUp(String id, Instant at, String fault) {
    storage.update(
        Sql.of(
            "UPDATE mail_outbox SET given_up_at = :at, fault = :fault WHERE id = :id",
            at,
            fault,
            id));
  }

  /**
   * An email that has not been sent.
   *
   * @param givenUp whether there are no further attempts
   * @param fault why the last attempt failed, when this is recorded
   */
  public record Undelivered(OutboxEntry entry, boolean givenUp, String fault) {}

  /**
   * Returns emails that have not been sent, the newest first, without those for a time after {@code
   * now} that nobody has tried to send.
   */
  public List<Undelivered> kept(Instant now, int limit) {
    return storage.list(
        SELECT + "WHERE attempts > 0 OR next_at <= :now ORDER BY created_at DESC LIMIT :limit",
        row ->
            new Undelivered(
                read(row),
                Rows.optionalTime(row, "given_up_at").isPresent(),
                Rows.text(row, "fault").orElse("")),
        now,
        limit);
  }

  /**
   * Returns the number of emails that have not been sent and not been given up, without those for a
   * time after {@code now} that nobody has tried to send.
   */
  public long waiting(Instant now) {
    return storage.number(
        Sql.of(
            "SELECT count(*) FROM mail_outbox WHERE given_up_at IS NULL"
                + " AND (attempts > 0 OR next_at <= :now)",
            now));
  }

  private static OutboxEntry read(ResultSet row) throws SQLException {
    return new OutboxEntry(
        row.getString("id"),
        row.getString("kind"),
        row.getString("subject"),
        Rows.time(row, "created_at"),
        row.getInt("attempts"),
        Rows.time(row, "next_at"));
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.config.Background;
import dev.safeconduct.config.DurableFile;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.db.StoreUnavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of the log this node has seen. A database that does not hold those records is an older
 * copy: a standby that lagged, an old primary, a restored backup. Writing to it would begin a
 * second log beside the first. So this node writes nothing until the records are there again or an
 * operator accepts the log as it is. It also informs the other nodes, through the database.
 *
 * <p>A record's commitment contains a random salt: the same commitment at the same position means
 * the same log.
 */
public final class SeenLog {
  /** The first record, the last one, and the last one that this node has seen. */
  static final String HEADS =
      """
      SELECT log_index, commitment FROM audit
       WHERE log_index IN (0, (SELECT max(log_index) FROM audit), :last)
       ORDER BY log_index
      """;

  private static final String SIZE = "SELECT coalesce(max(log_index) + 1, 0) FROM audit";

  private static final String DISPUTE =
      """
      INSERT INTO log_dispute (size, commitment) VALUES (:size, :commitment)
          ON CONFLICT (size, commitment) DO NOTHING
      """;

  /** A node that asked for records just before the acceptance may have told of them after it. */
  private static final String WITHDRAW =
      """
      DELETE FROM log_dispute
       WHERE size = :size AND commitment = :commitment AND accepted_at IS NULL
      """;

  private static final String ACCEPTED = "SELECT coalesce(max(accepted_at), 0) FROM log_dispute";

  /** What other nodes have seen and is not there. */
  public static final String OPEN =
      """
      SELECT coalesce(max(d.size), 0)
        FROM log_dispute d
        LEFT JOIN audit a ON a.log_index = d.size - 1
       WHERE d.accepted_at IS NULL AND a.commitment IS DISTINCT FROM d.commitment
      """;

  private static final String ACCEPT =
      "UPDATE log_dispute SET accepted_at = :now WHERE accepted_at IS NULL";

  private static final Pattern LINE =
      Pattern.compile("([1-9][0-9]{0,17}) ([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9]{1,18})\n");

  private static final String FILE = "log-seen.txt";
  private static final Logger LOG = LoggerFactory.getLogger(SeenLog.class);

  /** A record's position and commitment. */
  record Head(long index, String commitment) {
    static Head read(ResultSet row) throws SQLException {
      return new Head(row.getLong(1), HexFormat.of().formatHex(row.getBytes(2)));
    }

    private static Head of(long index, LogEntry entry) {
      return new Head(index, HexFormat.of().formatHex(entry.commitment().entry()));
    }

    private byte[] bytes() {
      return HexFormat.of().parseHex(commitment);
    }
  }

  /**
   * The first and the last record that this node has seen.
   *
   * @param accepted when an operator had last accepted the log then. A later acceptance gives up
   *     what was seen before it, on every node.
   */
  record Seen(Head first, Head last, long accepted) {}

  private final Optional<Path> file;
  private volatile @Nullable Seen seen;
  private volatile @Nullable Seen saved;
  private volatile long latestAcceptance;

  /** Whether a thread saves; also the lock of those that do. */
  private final AtomicBoolean saving = new AtomicBoolean();

  /** What an operator is told while the log is refused; empty while it is not. */
  private volatile String refusal = "";

  /** Whether the file could not be written when it was last tried; guarded by {@link #saving}. */
  private boolean unsaved;

  /** A start that is refused, for example because of its keys, must not store a foreign log. */
  private volatile boolean inUse;

  private volatile int accepted;

  /** {@code folder}: where the file is, so that the next start knows as well. */
  SeenLog(Optional<Path> folder) {
    this.file = folder.map(path -> path.resolve(FILE));
    this.seen = file.map(SeenLog::load).orElse(null);
    this.saved = seen;
  }

  /** Returns whether the database lacks records that this or another node has seen. */
  public boolean isRefused() {
    return !refusal.isEmpty();
  }

  /** Returns how often an operator has accepted a shorter log since the start. */
  public int accepted() {
    return accepted;
  }

  /** Returns the number of records that this node has seen. */
  public long size() {
    Seen known = seen;
    return known == null ? 0 : known.last().index() + 1;
  }

  @Nullable Seen seen() {
    return seen;
  }

  /** Returns the parameter of {@link #HEADS}. */
  static long last(@Nullable Seen seen) {
    return seen == null ? -1 : seen.last().index();
  }

  /**
   * Returns the next position in the log.
   *
   * @param before what this node had seen before the query
   * @param heads the result of {@link #HEADS}
   * @throws dev.safeconduct.error.ProblemException when the log does not hold it
   */
  long extended(@Nullable Seen before, List<Head> heads) {
    if (before != null && !heads.contains(before.last())) {
      refuse(before, heads);
      throw StoreUnavailable.otherLog().toException();
    }
    note(heads);
    return size(heads);
  }

  /** Notes records that this node has appended. */
  void appended(long firstIndex, List<LogEntry> records) {
    if (!records.isEmpty()) {
      inUse = true;
      note(
          List.of(
              Head.of(firstIndex, records.getFirst()),
              Head.of(firstIndex + records.size() - 1, records.getLast())));
    }
  }

  /** Returns whether the database has what this node has seen. */
  boolean isIn(Connection connection) throws SQLException {
    Seen before = seen;
    return before == null
        || Sql.of(HEADS, last(before)).list(connection, Head::read).contains(before.last());
  }

  /**
   * Compares the database with what this and other nodes have seen, and returns whether it may be
   * written. Ends a refusal when the records are there again or an operator has accepted the log.
   */
  boolean check(Connection connection) throws SQLException {
    Seen before = seen;
    long acceptance = Sql.of(ACCEPTED).number(connection);
    List<Head> heads = Sql.of(HEADS, last(before)).list(connection, Head::read);
    if (before != null && !heads.contains(before.last())) {
      if (acceptance <= before.accepted() || !heads.contains(before.first())) {
        refuse(before, heads);
        if (heads.contains(before.first())) {
          Sql.of(DISPUTE, before.last().index() + 1, before.last().bytes()).update(connection);
        }
        return false;
      }
      LOG.warn(
          "An operator accepted the log of {} records in place of the {} that were seen.",
          size(heads),
          before.last().index() + 1);
      Sql.of(WITHDRAW, before.last().index() + 1, before.last().bytes()).update(connection);
      forget();
    }
    long elsewhere = Sql.of(OPEN).number(connection);
    if (elsewhere > 0) {
      refuse(elsewhere, size(heads));
      return false;
    }
    latestAcceptance = acceptance;
    note(heads);
    goOn(size(heads));
    return true;
  }

  /** As {@link #check}, before the service starts. */
  void checkAtStart(Connection connection) throws SQLException {
    boolean isSame = check(connection);
    connection.commit();
    if (!isSame) {
      throw new StoreFault(refusal);
    }
  }

  /**
   * Lets nodes that have seen a longer log go on with this one; returns the number of records.
   *
   * @param size the number of records that the log has, which the operator has looked at
   * @throws StoreFault when it has another number of records
   */
  public static void accept(Connection connection, long size, long nowMs, Path folder)
      throws SQLException {
    long actual = Sql.of(SIZE).number(connection);
    if (actual != size) {
      throw new StoreFault("The log has " + actual + " records, not " + size + ".");
    }
    // Later than every other acceptance, whatever the clock says.
    long now = Math.max(nowMs, Sql.of(ACCEPTED).number(connection) + 1);
    Sql.of(ACCEPT, now).update(connection);
    try {
      Files.deleteIfExists(folder.resolve(FILE));
    } catch (IOException e) {
      throw new StoreFault("The file " + folder.resolve(FILE) + " cannot be deleted.", e);
    }
  }

  /** Returns how many records the node of this folder has seen; 0 if it does not know. */
  public static long size(Path folder) {
    return last(load(folder.resolve(FILE))) + 1;
  }

  private synchronized void forget() {
    seen = null;
    accepted++;
  }

  /** Several threads note; only a longer log than the known one counts. */
  private synchronized void note(List<Head> heads) {
    Seen known = seen;
    for (Head head : heads) {
      if (known == null || head.index() > known.last().index()) {
        known = new Seen(known == null ? head : known.first(), head, latestAcceptance);
      }
    }
    if (known != null && known.accepted() < latestAcceptance) {
      known = new Seen(known.first(), known.last(), latestAcceptance);
    }
    seen = known;
  }

  private static long size(List<Head> heads) {
    return heads.stream().mapToLong(Head::index).max().orElse(-1) + 1;
  }

  private void refuse(Seen before, List<Head> heads) {
    if (heads.contains(before.first())) {
      refuse(before.last().index() + 1, size(heads));
    } else {
      refuse(
          "The database holds another audit log than the one that this node has seen: "
              + size(heads)
              + " records, and the first is not the same. Nothing is recorded. Connect the right"
              + " database; or, if this node shall serve that one, stop it and delete "
              + file.map(Path::toString).orElse(FILE)
              + ".");
    }
  }

  private void refuse(long wanted, long found) {
    refuse(
        "The audit log in the database is not the one that was seen: "
            + wanted
            + " records were seen, and the database has "
            + found
            + " or others in their place. Nothing is recorded. Connect the database that has them;"
            + " or, if they are lost, let the service go on without them: safeconduct audit accept"
            + " --size="
            + found);
  }

  private synchronized void refuse(String why) {
    if (!isRefused()) {
      LOG.error(why);
    }
    refusal = why;
  }

  private synchronized void goOn(long size) {
    if (isRefused()) {
      LOG.info("The database holds the audit log again; it has {} records.", size);
    }
    refusal = "";
  }

  /** Stores what will be published. */
  void publishing() {
    inUse = true;
    save();
  }

  /**
   * Stores what was seen in the file, if it has changed and this node has appended to the log or
   * published a checkpoint.
   */
  void save() {
    synchronized (saving) { // not the lock of note(): the writer must not wait for the disk
      saveLatest();
    }
  }

  /** As {@link #save}, in another thread: the flush may take as long as many decisions. */
  void saveBeside() {
    if (inUse && !Objects.equals(seen, saved) && saving.compareAndSet(false, true)) {
      try {
        Background.named("log-seen", this::saveOnce).start();
      } catch (OutOfMemoryError e) { // no thread is left: the next call tries again
        saving.set(false);
        LOG.debug("no thread can be started", e);
      }
    }
  }

  private void saveOnce() {
    try {
      save();
    } finally {
      saving.set(false);
    }
  }

  private void saveLatest() {
    Seen now = seen;
    if (file.isEmpty() || now == null || now.equals(saved) || isRefused() || !inUse) {
      return;
    }
    String text =
        (now.last().index() + 1)
            + " "
            + now.first().commitment()
            + " "
            + now.last().commitment()
            + " "
            + now.accepted();
    try {
      DurableFile.write(file.get(), text + "\n");
      saved = now;
      if (unsaved) {
        LOG.info("{} is written again.", file.get());
      }
      unsaved = false;
    } catch (IOException e) {
      if (!unsaved) {
        LOG.warn(
            "{} cannot be written: until it can be, a start does not notice an older copy of the"
                + " database. ({})",
            file.get(),
            e.toString());
      }
      unsaved = true;
    }
  }

  private static @Nullable Seen load(Path file) {
    try {
      Matcher text = LINE.matcher(Files.readString(file));
      if (text.matches()) {
        return new Seen(
            new Head(0, text.group(2)),
            new Head(Long.parseLong(text.group(1)) - 1, text.group(3)),
            Long.parseLong(text.group(4)));
      }
      LOG.warn("{} is not valid and is ignored: what this node has seen is not known.", file);
      return null;
    } catch (NoSuchFileException _) {
      return null;
    } catch (IOException e) {
      throw new StoreFault("The file " + file + " cannot be read: " + e.getMessage(), e);
    }
  }
}

package dev.safeconduct.store;

import com.zaxxer.hikari.HikariDataSource;
import dev.safeconduct.access.RateLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteOpenMode;

/** A SQLite file in the data folder. */
final class SqliteDatabase implements Database {
  static final int PAGE_BYTES = 8 * 1024;

  /**
   * After this many pages, 8 MB, the writer takes into the file what {@link WalCheckpoints} has not
   * yet, and the write-ahead log starts over. Callers wait while it does.
   */
  private static final int CHECKPOINT_PAGES = 1_000;

  private static final int READERS = 4;

  private final FolderLock lock;
  private final String url;
  private final HikariDataSource pool;
  private final Reads reads;
  private final WalCheckpoints checkpoints;

  private SqliteDatabase(FolderLock lock, String url) {
    this.lock = lock;
    this.url = url;
    this.pool = Database.pool(source(url, true), READERS);
    this.reads = new Reads(pool);
    this.checkpoints = new WalCheckpoints(() -> connection(url));
  }

  static SqliteDatabase open(Path folder) {
    FolderLock lock = FolderLock.take(folder);
    try {
      String url = "jdbc:sqlite:" + folder.resolve("safeconduct.db");
      prepare(url);
      Database.migrate(source(url, false), "sqlite");
      var database = new SqliteDatabase(lock, url);
      database.checkpoints.start();
      return database;
    } catch (SQLException | RuntimeException e) {
      release(lock);
      throw e instanceof StoreFault fault
          ? fault
          : new StoreFault("The database in " + folder + " cannot be opened: " + e, e);
    }
  }

  /** Connections that only read, also beside a running service. */
  static HikariDataSource reading(Path folder) {
    Path file = folder.resolve("safeconduct.db");
    if (!Files.exists(file)) {
      throw new StoreFault("There is no database at " + file + ".");
    }
    return Database.pool(source("jdbc:sqlite:" + file, true), 1);
  }

  /** The page size holds only if it is set before the file has any content. */
  private static void prepare(String url) throws SQLException {
    try (Connection connection = source(url, false).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA page_size = " + PAGE_BYTES);
      statement.execute("PRAGMA journal_mode = WAL");
    }
  }

  private static SQLiteDataSource source(String url, boolean readOnly) {
    var config = new SQLiteConfig();
    config.setReadOnly(readOnly);
    config.setOpenMode(SQLiteOpenMode.NOMUTEX); // no connection is used by two threads at a time
    config.setBusyTimeout(5_000);
    config.setGetGeneratedKeys(false); // else the driver asks for the row id after each insert
    var source = new SQLiteDataSource(config);
    source.setUrl(url);
    return source;
  }

  @Override
  public Session openSession() throws SQLException {
    Connection connection = connection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
      statement.execute("PRAGMA cache_size = -65536"); // KiB
      statement.execute("PRAGMA temp_store = MEMORY");
    }
    return new SqliteSession(connection, checkpoints);
  }

  /** One that waits until the disk has what it wrote. */
  private static Connection connection(String url) throws SQLException {
    Connection connection = source(url, false).getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA synchronous = FULL");
    }
    return connection;
  }

  @Override
  public Reads reads() {
    return reads;
  }

  @Override
  public String place(String text, String column) {
    return "instr(" + column + ", CAST('" + text + "' AS BLOB))";
  }

  /** The session sees it and empties the write-ahead log. */
  @Override
  public Optional<String> writeOver() {
    return Optional.of(SqliteSession.WRITE_OVER);
  }

  @Override
  public Optional<RateLimits> rateLimits(InstantSource clock) {
    return Optional.empty(); // there is no other node to count with
  }

  @Override
  public void follow(SqlChangeFeed feed) {
    // Nobody else writes to the file.
  }

  @Override
  public boolean hears() {
    return true; // there are no others
  }

  @Override
  public void close() {
    checkpoints.close();
    pool.close();
    release(lock);
  }

  private static void release(FolderLock lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new StoreFault("The lock file cannot be closed", e);
    }
  }
}

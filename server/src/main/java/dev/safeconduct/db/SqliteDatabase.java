package dev.safeconduct.db;

import com.zaxxer.hikari.HikariDataSource;
import dev.safeconduct.config.OwnerOnly;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteOpenMode;

/** A SQLite file in the data folder. */
public final class SqliteDatabase implements Database {
  static final int PAGE_BYTES = 8 * 1024;

  /**
   * The size of the write-ahead log in pages, 16 MB, at which the writer runs a checkpoint itself.
   * It copies the pages {@link WalCheckpoints} has not copied yet, and the log starts over. Callers
   * wait meanwhile.
   */
  private static final int CHECKPOINT_PAGES = 2_000;

  private static final int READERS = 4;

  /** Without as much, not even the driver's library can be unpacked. */
  private static final long LEAST_FREE_BYTES = 4 << 20;

  /** The driver's property for where it unpacks its native library. */
  private static final String LIBRARY_FOLDER = "org.sqlite.tmpdir";

  /**
   * The default mode: when a row moves within or between pages that are written anyway, its old
   * location is zeroed. Otherwise a copy could remain that no erasure reaches.
   */
  public static final String NO_STALE_COPIES = "PRAGMA secure_delete = FAST";

  private final FolderLock lock;
  private final String url;
  private final HikariDataSource pool;
  private final Availability availability = new Availability();
  private final Reads reads;
  private final WalCheckpoints checkpoints;

  private SqliteDatabase(FolderLock lock, String url) {
    this.lock = lock;
    this.url = url;
    this.pool = Database.pool(source(url, true), READERS);
    this.reads = new Reads(pool, availability, READERS - 1);
    this.checkpoints = new WalCheckpoints(() -> connection(url));
  }

  public static SqliteDatabase open(Path folder) {
    FolderLock lock = FolderLock.take(folder);
    try {
      unpackLibraryIn(folder);
      Path file = folder.resolve("safeconduct.db");
      closeToOthers(file);
      String url = "jdbc:sqlite:" + file;
      prepare(url);
      new Migrations(source(url, false), Migrations.SQLITE).run();
      var database = new SqliteDatabase(lock, url);
      database.checkpoints.start();
      return database;
    } catch (Error e) {
      release(lock);
      throw e;
    } catch (IOException | SQLException | RuntimeException e) {
      release(lock);
      throw e instanceof StoreFault fault
          ? fault
          : new StoreFault(
              "The database in " + folder + " cannot be opened: " + SqlFault.shown(e), e);
    }
  }

  /**
   * Has the driver unpack its native library into the data folder, which only this process uses,
   * and deletes those of processes that were killed. The system's folder for temporary files would
   * collect one at each kill.
   */
  private static void unpackLibraryIn(Path folder) throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, "sqlite-*-*sqlitejdbc.*")) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
    // Not Files.getFileStore: in a root that is no mount point (chroot), it finds no mount and
    // fails.
    long free = folder.toFile().getUsableSpace();
    if (free < LEAST_FREE_BYTES) {
      throw new StoreFault(
          "The data folder " + folder + " has only " + free + " bytes of free space.");
    }
    if (System.getProperty(LIBRARY_FOLDER) == null) {
      System.setProperty(LIBRARY_FOLDER, folder.toString());
    }
  }

  static HikariDataSource reading(Path folder) {
    SQLiteDataSource source = source(existing(folder), true);
    // The pool would repeat the error until its time is over, and then not say it.
    try (Connection connection = source.getConnection()) {
      connection.isValid(0);
    } catch (SQLException e) {
      throw new StoreFault(
          "The database in " + folder + " cannot be read: " + SqlFault.shown(e), e);
    }
    return Database.pool(source, 2);
  }

  static Connection writing(Path folder) throws SQLException {
    return source(existing(folder), false).getConnection();
  }

  private static String existing(Path folder) {
    Path file = folder.resolve("safeconduct.db");
    try {
      file.getFileSystem().provider().checkAccess(file, AccessMode.READ);
    } catch (NoSuchFileException e) {
      throw new StoreFault("There is no database at " + file + ".", e);
    } catch (AccessDeniedException e) {
      throw new StoreFault("The database cannot be read: " + file + ": access is denied", e);
    } catch (IOException e) {
      throw new StoreFault("The database cannot be read: " + e.getMessage(), e);
    }
    return "jdbc:sqlite:" + file;
  }

  /** SQLite gives the files it creates beside the database the database's mode. */
  private static void closeToOthers(Path file) throws IOException {
    OwnerOnly.file(file);
    OwnerOnly.existing(file.resolveSibling(file.getFileName() + "-wal"));
    OwnerOnly.existing(file.resolveSibling(file.getFileName() + "-shm"));
  }

  /** The page size takes effect only if it is set before the file has any content. */
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
    config.setGetGeneratedKeys(false); // saves a query for the row id after each insert
    var source = new SQLiteDataSource(config);
    source.setUrl(url);
    return source;
  }

  @Override
  public Connection openWriter() throws SQLException {
    Connection connection = connection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
      statement.execute("PRAGMA cache_size = -65536"); // KiB
      statement.execute("PRAGMA temp_store = MEMORY");
    }
    connection.setAutoCommit(false);
    return connection;
  }

  /** Returns the checkpoints, which the writer notifies of its appends. */
  public WalCheckpoints checkpoints() {
    return checkpoints;
  }

  /** Opens a connection whose commits wait for the disk. */
  private static Connection connection(String url) throws SQLException {
    Connection connection = source(url, false).getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA synchronous = FULL");
      statement.execute(NO_STALE_COPIES);
    }
    return connection;
  }

  @Override
  public Connections connections() {
    return Connections.of(pool);
  }

  @Override
  public Reads reads() {
    return reads;
  }

  @Override
  public Availability availability() {
    return availability;
  }

  @Override
  public String place(String text, String column) {
    return "instr(" + column + ", CAST('" + text + "' AS BLOB))";
  }

  /**
   * Returns SQL that turns on {@code secure_delete}; the writer then truncates the write-ahead log.
   */
  @Override
  public Optional<String> writeOver() {
    return Optional.of("PRAGMA secure_delete = ON");
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

package dev.safeconduct.db;

import dev.safeconduct.config.OwnerOnly;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Copies of the SQLite database, whole and flushed to the disk. */
public final class SqliteBackup {
  /** The database's name, in a data folder and in a backup. */
  public static final String FILE = "safeconduct.db";

  private static final String WAL = "-wal";

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private SqliteBackup() {}

  /**
   * Copies the database of a data folder, also while a service writes to it: the copy is its state
   * at one moment. The backup API of SQLite would begin anew at each write of another process; this
   * statement reads one snapshot, and leaves deleted rows out.
   *
   * @param target an empty folder
   */
  public static void copy(Path dataDir, Path target) throws SQLException, IOException {
    Path file = target.resolve(FILE);
    OwnerOnly.file(file);
    try (Connection connection = SqliteDatabase.writing(dataDir);
        PreparedStatement statement = connection.prepareStatement("VACUUM INTO ?")) {
      statement.setString(1, file.toString());
      statement.execute();
    }
    force(file);
    force(target);
  }

  /**
   * Puts the database of a backup into a data folder that no service uses. A database that is there
   * stays beside it under another name.
   *
   * @param replace whether there may be one
   * @throws StoreFault if there is one, a service runs, or the backup is not a single file
   */
  public static void restore(Path backup, Path dataDir, boolean replace, Instant now)
      throws IOException {
    Path pending = backup.resolve(FILE + WAL);
    if (Files.exists(pending) && Files.size(pending) > 0) {
      throw new StoreFault(
          pending
              + " has records that the database file beside it lacks. Copy both with backup, with"
              + " DATA_DIR="
              + backup
              + ", and restore that copy.");
    }
    try (FolderLock _ = FolderLock.take(dataDir)) {
      Path file = dataDir.resolve(FILE);
      if (Files.exists(file) && !replace) {
        throw new StoreFault(
            "There is a database at "
                + file
                + ". Set DATA_DIR to another folder; or, with --replace, it is kept under another"
                + " name.");
      }
      Path next = dataDir.resolve(FILE + ".restored");
      try {
        OwnerOnly.file(next);
        try (OutputStream out = Files.newOutputStream(next)) {
          Files.copy(backup.resolve(FILE), out);
        }
        force(next);
        replace(next, dataDir, now);
      } finally {
        Files.deleteIfExists(next);
      }
    }
  }

  private static void replace(Path next, Path dataDir, Instant now) throws IOException {
    Path file = dataDir.resolve(FILE);
    // If this stops in between, a database is there, and no other database's log is beside it.
    Path old = dataDir.resolve(FILE + ".replaced-" + STAMP.format(now));
    for (String part : List.of("", WAL)) {
      if (Files.exists(dataDir.resolve(FILE + part))) {
        Files.createLink(
            old.resolveSibling(old.getFileName() + part), dataDir.resolve(FILE + part));
      }
    }
    force(dataDir);
    Files.deleteIfExists(dataDir.resolve(FILE + WAL));
    Files.deleteIfExists(dataDir.resolve(FILE + "-shm"));
    force(dataDir);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    force(dataDir);
  }

  /** Moves a checked copy from where it was made to its place. */
  public static void publish(Path made, Path target) throws IOException {
    Files.move(made.resolve(FILE), target.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    force(target);
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}

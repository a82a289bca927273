package dev.safeconduct.cli;

import dev.safeconduct.app.KeyConfig;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.db.SqliteBackup;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Copies the SQLite database of a service, running or not, and checks the copy. */
@Command(
    name = "backup",
    description = {
      "Copy the SQLite database in DATA_DIR into an empty folder, and verify the audit log of the"
          + " copy. The service may be running. The master key is not copied: keep it elsewhere.",
      "Exit status: 0 copied and sound, 1 the log is not sound (then there is no copy), 2 it cannot"
          + " be copied."
    })
public final class BackupCommand implements Callable<Integer> {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_FAILED = 2;

  @Parameters(paramLabel = "FOLDER", description = "A folder that is empty or does not exist.")
  private Path folder;

  @Mixin private Terminal terminal;

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    boolean there = Files.exists(folder);
    try {
      Env env = terminal.env();
      Path dataDir = dataDir(env);
      KeyConfig keys = KeyConfig.from(env, dataDir);
      env.check();
      OwnerOnly.make(folder);
      refuseUsed(folder);
      // Only a checked copy gets the name from which it can be restored.
      Path unchecked = Files.createTempDirectory(folder, "unchecked-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> interrupted(unchecked, there)));
      try {
        SqliteBackup.copy(dataDir, unchecked);
        Fsck.Report report =
            LogCheck.run(StoreConfig.sqlite(unchecked), keys, List.of(), Optional.empty(), out);
        report.dispute().ifPresent(text -> out.println("WARNING " + text));
        out.println(LogCheck.text(report));
        if (!report.faults().isEmpty()) {
          terminal.err().println("There is no backup: the database is not sound.");
          return EXIT_FAULTS;
        }
        SqliteBackup.publish(unchecked, folder);
        out.println("Copied to " + folder.resolve(SqliteBackup.FILE));
        return 0;
      } finally {
        delete(unchecked);
      }
    } catch (IOException | SQLException | RuntimeException e) {
      terminal.err().println("There is no backup: " + FileFault.shown(e));
      if (!there) {
        var _ = folder.toFile().delete(); // no other file is lost: only an empty folder goes
      }
      return EXIT_FAILED;
    }
  }

  /** Returns the data folder of a service with SQLite. */
  static Path dataDir(Env env) {
    if (StorageConfig.database(env) instanceof StoreConfig.Postgres) {
      throw new StoreFault(
          "DATABASE_URL is set, and PostgreSQL has tools of its own. To copy it: pg_dump"
              + " --format=custom --file=safeconduct.dump \"$DATABASE_URL\". To restore it: pg_restore"
              + " --dbname=\"$NEW_DATABASE_URL\" safeconduct.dump; then, with DATABASE_URL set to the"
              + " restored one: safeconduct audit verify --checkpoint FILE. It fails if records are"
              + " missing that the checkpoint knows.");
    }
    return StorageConfig.dataDir(env);
  }

  private static void refuseUsed(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      if (files.iterator().hasNext()) {
        throw new IOException("The folder " + folder + " is not empty.");
      }
    }
  }

  /** After an interrupt, the folder is as it was: a second backup into it is not refused. */
  private void interrupted(Path unchecked, boolean there) {
    if (Files.exists(unchecked)) {
      try {
        delete(unchecked);
      } catch (IOException _) {
        return; // the command deletes it, too
      }
      if (!there) {
        var _ = folder.toFile().delete(); // only if it is empty
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}

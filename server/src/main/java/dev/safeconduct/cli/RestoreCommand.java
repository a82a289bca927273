package dev.safeconduct.cli;

import dev.safeconduct.app.KeyConfig;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.db.SqliteBackup;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.ledger.SeenLog;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.SignedNote;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Verifies a backup and puts it into the data folder. */
@Command(
    name = "restore",
    description = {
      "Verify the backup in a folder and put it into DATA_DIR. The service must be stopped. Put the"
          + " master key into DATA_DIR first, so that the keys in the backup are checked too.",
      "Warns when later records are known: by the node's log-seen.txt or by a checkpoint.",
      "Exit status: 0 restored, 1 the backup is not sound (then nothing changes), 2 it cannot be"
          + " restored."
    })
public final class RestoreCommand implements Callable<Integer> {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_FAILED = 2;

  @Parameters(paramLabel = "FOLDER", description = "The folder that backup was given.")
  private Path folder;

  @Option(
      names = "--checkpoint",
      paramLabel = "FILE",
      description = "A signed checkpoint stored earlier, to compare the backup with. Repeatable.")
  private List<Path> checkpoints = new ArrayList<>();

  @Option(
      names = "--replace",
      description = "Replace the database in DATA_DIR; it is kept under another name.")
  private boolean replace;

  @Mixin private Terminal terminal;

  /** A checkpoint that somebody kept. */
  private record KnownCheckpoint(Path file, String note, long size) {
    static KnownCheckpoint read(Path file) throws IOException {
      String note = GivenFile.text(file);
      return SignedNote.parse(note)
          .flatMap(parsed -> Checkpoint.parse(parsed.text()))
          .map(checkpoint -> new KnownCheckpoint(file, note, checkpoint.size()))
          .orElseThrow(() -> new IOException(file + " is not a signed checkpoint."));
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    try {
      Env env = terminal.env();
      Path dataDir = BackupCommand.dataDir(env);
      KeyConfig keys = KeyConfig.from(env, dataDir);
      env.check();
      var kept = new ArrayList<KnownCheckpoint>();
      for (Path file : checkpoints) {
        kept.add(KnownCheckpoint.read(file));
      }
      StoreConfig backup = StoreConfig.sqlite(folder);
      long records = records(backup);
      // A checkpoint of later records says nothing about the earlier ones; it makes a warning.
      List<String> covered =
          kept.stream().filter(each -> each.size() <= records).map(KnownCheckpoint::note).toList();
      Fsck.Report report = LogCheck.run(backup, keys, covered, Optional.empty(), out);
      report.dispute().ifPresent(text -> out.println("WARNING " + text));
      out.println(LogCheck.text(report));
      if (!report.faults().isEmpty()) {
        terminal.err().println("Nothing is restored: the backup is not sound.");
        return EXIT_FAULTS;
      }
      long seen = SeenLog.size(dataDir);
      SqliteBackup.restore(folder, dataDir, replace, InstantSource.system().instant());
      out.println("Restored to " + dataDir.resolve(SqliteBackup.FILE));
      kept.forEach(each -> warn(records, each.size(), each.file().toString()));
      warn(records, seen, "log-seen.txt");
      return 0;
    } catch (IOException | RuntimeException e) {
      terminal.err().println("Nothing is restored: " + FileFault.shown(e));
      return EXIT_FAILED;
    }
  }

  private static long records(StoreConfig backup) {
    try (LogReader reader = LogReader.open(backup)) {
      return reader.size();
    }
  }

  private void warn(long records, long known, String source) {
    if (known > records) {
      terminal
          .err()
          .println(
              "WARNING: the backup has "
                  + records
                  + " records, and "
                  + source
                  + " knows of "
                  + known
                  + ". The later decisions and their charges are missing, so limits of that time can"
                  + " be used again. To go on without them: safeconduct audit accept --size="
                  + records);
    }
  }
}

package dev.safeconduct.cli;

import dev.safeconduct.app.KeyCheck;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.signing.Ed25519;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Audit log commands. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    description = "Check and export the audit log.",
    subcommands = {AuditCommand.Verify.class, ExportCommand.class})
public final class AuditCommand {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_UNREADABLE = 2;

  private AuditCommand() {}

  /** Rebuilds the tree from the raw records and reports every inconsistency. */
  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = {
        "Rebuild the Merkle tree from the raw records in DATA_DIR or DATABASE_URL and report every"
            + " inconsistency. The service may be running or stopped.",
        "Exit status: 0 consistent, 1 inconsistent, 2 the log cannot be read."
      })
  static final class Verify implements Callable<Integer> {
    @Option(
        names = "--checkpoint",
        paramLabel = "FILE",
        description = "A signed checkpoint stored earlier; the log must extend it. Repeatable.")
    private List<Path> checkpoints = new ArrayList<>();

    @Override
    public Integer call() {
      try {
        var notes = new ArrayList<String>();
        for (Path file : checkpoints) {
          notes.add(Files.readString(file, StandardCharsets.UTF_8));
        }
        Fsck.Report report = check(Env.ofProcess(), notes);
        System.out.println(told(report));
        return report.faults().isEmpty() ? 0 : EXIT_FAULTS;
      } catch (ConfigFault | StoreFault | ProblemException | IOException e) {
        System.err.println("The log cannot be read: " + e.getMessage());
        return EXIT_UNREADABLE;
      }
    }

    private static Fsck.Report check(Env env, List<String> notes) throws ConfigFault {
      StoreConfig store = StorageConfig.database(env);
      env.check();
      try (LogReader reader = LogReader.open(store)) {
        return Fsck.run(reader.log(), new KeyCheck(reader.keys(), Ed25519.fastest()), notes);
      }
    }

    private static String told(Fsck.Report report) {
      var text = new StringBuilder();
      report.faults().forEach(fault -> text.append("FAULT ").append(fault).append('\n'));
      if (report.more() > 0) {
        text.append("… and ").append(report.more()).append(" more\n");
      }
      return text.append(report.faults().isEmpty() ? "sound: " : "NOT SOUND: ")
          .append(report.records())
          .append(" records, ")
          .append(report.decisions())
          .append(" decisions' signatures, ")
          .append(report.erased())
          .append(" erased, ")
          .append(report.checkpoints())
          .append(" checkpoints\nroot ")
          .append(HexFormat.of().formatHex(report.root()))
          .toString();
    }
  }
}

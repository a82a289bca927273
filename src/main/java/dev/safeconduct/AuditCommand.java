package dev.safeconduct;

import dev.safeconduct.audit.Fsck;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.store.LogReader;
import dev.safeconduct.store.StoreConfig;
import dev.safeconduct.store.StoreFault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The audit log from the command line. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    description = "Check and export the audit log.",
    subcommands = {AuditCommand.Verify.class, ExportCommand.class})
final class AuditCommand {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_UNREADABLE = 2;

  private AuditCommand() {}

  /** Makes the tree again from the raw records and names what does not fit. */
  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = {
        "Make the Merkle tree again from the raw records of DATA_DIR or DATABASE_URL, of a running"
            + " or a stopped service, and name whatever does not fit.",
        "Exit status: 0 sound, 1 faults, 2 cannot be read."
      })
  static final class Verify implements Callable<Integer> {
    @Option(
        names = "--checkpoint",
        paramLabel = "FILE",
        description = "A signed checkpoint seen earlier; the log must continue it. Repeatable.")
    private List<Path> checkpoints = new ArrayList<>();

    @Override
    public Integer call() {
      try {
        var notes = new ArrayList<String>();
        for (Path file : checkpoints) {
          notes.add(Files.readString(file, StandardCharsets.UTF_8));
        }
        Fsck.Report report = check(Main.environment(), notes);
        System.out.println(told(report));
        return report.faults().isEmpty() ? 0 : EXIT_FAULTS;
      } catch (ConfigFault | StoreFault | ProblemException | IOException e) {
        System.err.println("The log cannot be read: " + e.getMessage());
        return EXIT_UNREADABLE;
      }
    }

    private static Fsck.Report check(Env env, List<String> notes) throws ConfigFault {
      Optional<String> url = env.string("DATABASE_URL");
      Path folder = Path.of(env.string("DATA_DIR", "./data"));
      env.check();
      StoreConfig store =
          url.map(StoreConfig::postgres).orElseGet(() -> StoreConfig.sqlite(folder));
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

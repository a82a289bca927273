package dev.safeconduct.cli;

import dev.safeconduct.app.KeyConfig;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.signing.Ed25519;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Audit log commands. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    description = "Check and export the audit log, and have it witnessed.",
    subcommands = {
      AuditCommand.Verify.class,
      ExportCommand.class,
      WitnessCommand.class,
      AcceptCommand.class
    })
public final class AuditCommand {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_UNREADABLE = 2;

  private AuditCommand() {}

  /** Rebuilds the tree from the raw records and reports every inconsistency. */
  @Command(
      name = "verify",
      description = {
        "Rebuild the Merkle tree from the raw records in DATA_DIR or DATABASE_URL and report every"
            + " inconsistency. The service may be running or stopped.",
        "With the master key at hand (as serve finds it) it also opens the seals of the signing keys.",
        "Exit status: 0 sound, 1 not sound (also when no checkpoint is kept, or a row cannot be"
            + " read), 2 the database cannot be read at all."
      })
  static final class Verify implements Callable<Integer> {
    @Option(
        names = "--checkpoint",
        paramLabel = "FILE",
        description = "A signed checkpoint stored earlier; the log must extend it. Repeatable.")
    private List<Path> checkpoints = new ArrayList<>();

    @Option(
        names = "--keys",
        paramLabel = "FILE",
        description =
            "The published key set, the response of GET /jwks.json; it must be the log's.")
    private @Nullable Path keys;

    @Mixin private Terminal terminal;

    @Override
    public Integer call() {
      PrintWriter out = terminal.out();
      try {
        var notes = new ArrayList<String>();
        for (Path file : checkpoints) {
          notes.add(GivenFile.text(file));
        }
        Optional<Map<String, String>> published =
            keys == null
                ? Optional.empty()
                : Optional.of(PublishedKeys.read(keys, Ed25519.fastest()).encoded());
        Env env = terminal.env();
        StoreConfig store = StorageConfig.database(env);
        KeyConfig config = KeyConfig.from(env, StorageConfig.dataDir(env));
        env.check();
        Fsck.Report report = LogCheck.run(store, config, notes, published, out).withDispute();
        out.println(LogCheck.text(report));
        out.flush();
        return report.faults().isEmpty() ? 0 : EXIT_FAULTS;
      } catch (IOException | RuntimeException e) {
        terminal.err().println("The log cannot be checked: " + FileFault.shown(e));
        return EXIT_UNREADABLE;
      }
    }
  }
}

package dev.safeconduct.cli;

import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.db.Database;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.ledger.SeenLog;
import dev.safeconduct.signing.RevokedKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lets the service go on with a log that lacks records it has seen. */
@Command(
    name = "accept",
    description = {
      "Let the service go on with the audit log in DATA_DIR or DATABASE_URL although it lacks records"
          + " that nodes have seen, for example after a restore. Those records are given up.",
      "Exit status: 0 accepted, 2 the log has another size or cannot be reached."
    })
final class AcceptCommand implements Callable<Integer> {
  private static final int EXIT_REFUSED = 2;

  @Option(
      names = "--size",
      required = true,
      paramLabel = "RECORDS",
      description = "The number of records in the database, as the service's message names it.")
  private long size;

  @Mixin private Terminal terminal;

  @Override
  public Integer call() {
    try {
      Env env = terminal.env();
      StoreConfig store = StorageConfig.database(env);
      Path folder = StorageConfig.dataDir(env);
      env.check();
      try (Connection connection = Database.writing(store)) {
        SeenLog.accept(connection, size, System.currentTimeMillis(), folder);
        RevokedKeys.forget(folder);
      }
      terminal.out().println("The log of " + size + " records is accepted.");
      return 0;
    } catch (ConfigFault | StoreFault | SQLException | IOException e) {
      terminal.err().println("The log is not accepted: " + FileFault.shown(e));
      return EXIT_REFUSED;
    }
  }
}

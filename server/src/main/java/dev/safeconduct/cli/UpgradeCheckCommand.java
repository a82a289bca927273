package dev.safeconduct.cli;

import dev.safeconduct.app.KeyConfig;
import dev.safeconduct.app.ServerConfig;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.app.Version;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.UpgradePlan;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says what the next start of this program will change in a database. */
@Command(
    name = "upgrade-check",
    description = {
      "Say what the first start of this version will change in the database in DATA_DIR or"
          + " DATABASE_URL, and check the settings and the master key. The service may be running or"
          + " stopped. Nothing is changed.",
      "Exit status: 0 nothing to change, 1 this version would not start (the database is newer, a"
          + " setting is not valid, the master key is missing …), 2 the start changes the database."
    })
public final class UpgradeCheckCommand implements Callable<Integer> {
  private static final int EXIT_FAULT = 1;
  private static final int EXIT_CHANGES = 2;

  /** What a slow disk may write in a second; an assumption, not a measurement. */
  private static final long BYTES_A_SECOND = 20 << 20;

  private static final long MEBIBYTE = 1 << 20;

  @Mixin private Terminal terminal;

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    try {
      Env env = terminal.env();
      StoreConfig store = StorageConfig.database(env);
      UpgradePlan plan = UpgradePlan.of(store);
      out.println("This is version " + Version.current() + " of Safeconduct.");
      print(plan, store, out);
      ServerConfig.from(HttpConfig.withPort(env));
      out.println("Settings: valid.");
      List<String> sealed = sealed(KeyConfig.from(env, StorageConfig.dataDir(env)), store);
      if (!sealed.isEmpty()) {
        return fault(String.join("; ", sealed) + ".");
      }
      if (plan.lacksSpace()) {
        return fault("there is not enough free space.");
      }
      return plan.steps().isEmpty() ? 0 : EXIT_CHANGES;
    } catch (ConfigFault e) {
      return fault("some settings are not valid:\n" + e.getMessage());
    } catch (IOException | WrongMasterKeyException | RuntimeException e) {
      return fault(FileFault.shown(e));
    }
  }

  /** Returns a sentence for each signing key that the start could not open. */
  private static List<String> sealed(KeyConfig keys, StoreConfig store)
      throws IOException, WrongMasterKeyException {
    try (LogReader reader = LogReader.open(store)) {
      List<SealedKey> rows = reader.keys();
      if (rows.isEmpty()) {
        return List.of();
      }
      MasterKey master = keys.masterKey().open(true, new SecureRandom());
      return KeyRing.unsealable(rows, PrivateKeys.inMemory(master, Ed25519.fastest()));
    }
  }

  private int fault(String reason) {
    terminal.err().println("This version cannot start here: " + reason);
    return EXIT_FAULT;
  }

  /** Prints what a person has to know before the first start. */
  static void print(UpgradePlan plan, StoreConfig store, PrintWriter out) {
    List<UpgradePlan.Step> steps = plan.steps();
    if (steps.isEmpty()) {
      out.println("Schema: " + plan.schema() + ", as this version needs it. Nothing will change.");
      return;
    }
    out.println(
        "Schema: " + plan.schema() + ". The first start brings it to " + plan.target() + ":");
    for (UpgradePlan.Step step : steps) {
      out.println("  " + step.version() + "  " + step.summary());
      if (!step.rewrites().isEmpty()) {
        out.println("       Rewrites: " + String.join(", ", step.rewrites()) + ".");
      }
      step.settings().forEach(setting -> out.println("       Setting " + setting));
    }
    out.println("All of it is done, or none: if it fails, the older version can start again.");
    if (plan.rewrittenBytes() == 0) {
      out.println("No table is rewritten, so it takes about a second.");
    } else {
      out.printf(
          "At most %,d MiB are rewritten: about %,d s on a slow disk, by estimate, and %,d MiB of free space%s.%n",
          mebibytes(plan.rewrittenBytes()),
          1 + plan.rewrittenBytes() / BYTES_A_SECOND,
          mebibytes(plan.neededBytes()),
          plan.freeBytes().isPresent()
              ? " (there are %,d)".formatted(plan.freeBytes().getAsLong() / MEBIBYTE)
              : " on the database server");
    }
    out.println(
        "There is no way back without a backup: an older version does not start on the new schema.");
    out.println(
        switch (store) {
          case StoreConfig.Sqlite _ -> "Make one first: safeconduct backup FOLDER";
          case StoreConfig.Postgres _ ->
              "Make one first, for example with pg_dump. Other nodes go on; those of the older"
                  + " version cannot be started again.";
        });
  }

  private static long mebibytes(long bytes) {
    return (bytes + MEBIBYTE - 1) / MEBIBYTE;
  }
}

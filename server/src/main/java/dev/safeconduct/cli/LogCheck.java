package dev.safeconduct.cli;

import dev.safeconduct.app.KeyCheck;
import dev.safeconduct.app.KeyConfig;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.audit.verify.StoredLog;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The check of a whole audit log, as commands run and print it. */
final class LogCheck {
  private LogCheck() {}

  /**
   * Checks the log of a database.
   *
   * @param notes checkpoints that the log must extend
   * @param published the published key set by {@code kid}
   * @throws StoreFault when it cannot be read at all
   */
  static Fsck.Report run(
      StoreConfig store,
      KeyConfig config,
      List<String> notes,
      Optional<Map<String, String>> published,
      PrintWriter out) {
    try (LogReader reader = LogReader.open(store)) {
      Optional<PrivateKeys> seals = Optional.empty();
      try {
        MasterKey master = config.masterKey().open(true, new SecureRandom());
        seals = Optional.of(PrivateKeys.inMemory(master, Ed25519.fastest()));
      } catch (IOException | WrongMasterKeyException e) {
        out.println(
            "not checked: the seals of the signing keys, without the master key ("
                + e.getMessage()
                + ")");
      }
      StoredLog log = reader.log();
      return Fsck.run(
          log,
          new KeyCheck(keys(log), Ed25519.fastest()),
          new Fsck.Evidence(notes, seals, published));
    }
  }

  /** Returns the keys that checkpoints are checked with; faults of the table are found later. */
  private static List<SealedKey> keys(StoredLog log) {
    try {
      return log.keys(_ -> {});
    } catch (StoreFault e) {
      return List.of();
    }
  }

  static String text(Fsck.Report report) {
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

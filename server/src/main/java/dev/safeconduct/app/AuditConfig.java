package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.VerifierKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the audit log.
 *
 * @param logPublic whether the Merkle log's checkpoints and tiles are public
 * @param witnesses the witnesses whose cosignatures of checkpoints are accepted
 */
record AuditConfig(boolean logPublic, List<VerifierKey> witnesses) {
  AuditConfig {
    witnesses = List.copyOf(witnesses);
  }

  static AuditConfig from(Env env) {
    return new AuditConfig(env.bool("AUDIT_LOG_PUBLIC", true), witnesses(env));
  }

  private static List<VerifierKey> witnesses(Env env) {
    var witnesses = new ArrayList<VerifierKey>();
    for (String text : env.list("AUDIT_WITNESSES")) {
      Optional<VerifierKey> key =
          VerifierKey.parse(text).filter(each -> each.algorithm() == SignedNote.COSIGNATURE);
      if (key.isEmpty()) {
        env.fault(
            "AUDIT_WITNESSES",
            "must be verifier keys of witnesses (name+hash+key, algorithm 4), separated by commas");
      }
      key.ifPresent(witnesses::add);
    }
    return witnesses;
  }
}

package dev.safeconduct.app;

import dev.safeconduct.audit.Witness;
import dev.safeconduct.audit.stream.AuditStream;
import dev.safeconduct.config.Env;
import dev.safeconduct.tlog.VerifierKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of the audit log.
 *
 * @param logPublic whether the Merkle log's checkpoints and tiles are public
 * @param witnesses the witnesses whose cosignatures of checkpoints are accepted
 * @param streams the destinations that get every record
 */
record AuditConfig(boolean logPublic, List<VerifierKey> witnesses, List<AuditStream> streams) {
  AuditConfig {
    witnesses = List.copyOf(witnesses);
    streams = List.copyOf(streams);
  }

  static AuditConfig from(Env env) {
    return new AuditConfig(
        env.bool("AUDIT_LOG_PUBLIC", true), witnesses(env), AuditStream.from(env));
  }

  private static List<VerifierKey> witnesses(Env env) {
    var witnesses = new ArrayList<VerifierKey>();
    for (String text : env.list("AUDIT_WITNESSES")) {
      Witness.parse(text)
          .map(Witness::key)
          .ifPresentOrElse(
              witnesses::add,
              () -> env.fault("AUDIT_WITNESSES", "must be " + Witness.FORM + "; commas between"));
    }
    return witnesses;
  }
}

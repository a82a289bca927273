package dev.safeconduct.app;

import dev.safeconduct.audit.AuditEndpoints;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.Cosignatures;
import dev.safeconduct.audit.LogEndpoints;
import dev.safeconduct.audit.LogKey;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.RetentionEndpoints;
import dev.safeconduct.audit.export.ExportJobs;
import dev.safeconduct.audit.stats.StatsEndpoint;
import dev.safeconduct.http.Route;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.verify.DecisionProofs;
import java.util.List;
import java.util.function.Supplier;

/**
 * The audit log: its records, their proofs, exports and retention.
 *
 * @param proofs proves that a decision is in the log
 */
record AuditModule(
    DecisionProofs proofs, ExportJobs exports, RetentionEndpoints retention, List<Route> routes)
    implements FeatureModule {
  static AuditModule of(Platform platform) {
    Store store = platform.store();
    ServerConfig config = platform.config();
    AuditLog log = store.auditLog();
    MerkleLog merkleLog = store.merkleLog();
    Supplier<List<LogKey>> keys =
        () -> platform.keys().ring().logSigners().stream().<LogKey>map(CheckpointKey::new).toList();
    var checkpoints =
        new Checkpoints(
            merkleLog,
            LogOrigin.of(store.vault(), config.http().baseUrl()),
            keys,
            platform.clock());
    var cosignatures =
        new Cosignatures(
            config.audit().witnesses(),
            store.cosignedLog(),
            merkleLog,
            checkpoints,
            new KeyCheck(List.of(), Ed25519.fastest()));
    var retention =
        new RetentionEndpoints(store.erasures(), log, platform.recorder(), platform.organization());
    return new AuditModule(
        new DecisionProofs(log, merkleLog, checkpoints),
        new ExportJobs(
            config.storage().dataDir().resolve("exports"),
            log,
            merkleLog,
            checkpoints,
            keys,
            platform.recorder()::nextHex,
            platform.clock()),
        retention,
        FeatureModule.all(
            new AuditEndpoints(log, merkleLog, checkpoints).routes(),
            new StatsEndpoint(log, platform.clock()).routes(),
            new LogEndpoints(merkleLog, checkpoints, cosignatures, config.audit().logPublic())
                .routes(),
            retention.routes()));
  }

  @Override
  public void start() {
    exports.start();
  }

  @Override
  public void stop() {
    exports.close();
  }

  @Override
  public void close() {
    retention.close();
  }
}

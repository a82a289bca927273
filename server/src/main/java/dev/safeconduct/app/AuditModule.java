package dev.safeconduct.app;

import dev.safeconduct.audit.AuditEndpoints;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.Cosignatures;
import dev.safeconduct.audit.CosignedLog;
import dev.safeconduct.audit.Erasures;
import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.audit.LogEndpoints;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.RetentionEndpoints;
import dev.safeconduct.audit.StatsEndpoint;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.Vault;
import dev.safeconduct.verify.VerifyEndpoint;
import java.util.List;
import java.util.function.Supplier;

/**
 * The audit log: its records, their proofs, exports and retention.
 *
 * @param proofs proves that a decision is in the log
 */
record AuditModule(
    Checkpoints checkpoints,
    VerifyEndpoint.DecisionProofs proofs,
    ExportJobs exports,
    RetentionEndpoints retention,
    List<Route> routes)
    implements FeatureModule {
  static AuditModule of(Platform platform) {
    Storage store = platform.store();
    ServerConfig config = platform.config();
    AuditLog log = new AuditLog(store.reads());
    MerkleLog merkleLog = new MerkleLog(store);
    Supplier<List<Signer>> keys = () -> platform.keys().ring().logSigners();
    var checkpoints =
        new Checkpoints(
            merkleLog,
            LogOrigin.of(new Vault(store), merkleLog, config.http().baseUrl()),
            keys,
            platform.clock());
    platform
        .metrics()
        .gauge(
            "safeconduct_log_checkpoint_timestamp_seconds",
            "When this node last signed a checkpoint of the log, as Unix time",
            () -> checkpoints.lastSigned().orElseThrow().getEpochSecond());
    var cosignatures =
        new Cosignatures(
            config.audit().witnesses(),
            new CosignedLog(store),
            merkleLog,
            checkpoints,
            new KeyCheck(List.of(), Ed25519.fastest()),
            platform.clock());
    var retention =
        new RetentionEndpoints(
            new Erasures(store), log, platform.recorder(), platform.organization());
    return new AuditModule(
        checkpoints,
        new VerifyEndpoint.DecisionProofs(log, merkleLog, checkpoints),
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
    checkpoints.start();
    exports.start();
  }

  @Override
  public void stop() {
    exports.close();
    checkpoints.close();
  }

  @Override
  public void close() {
    retention.close();
  }
}

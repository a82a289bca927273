package dev.safeconduct;

import dev.safeconduct.audit.AuditEndpoints;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.Cosignatures;
import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.audit.LogEndpoints;
import dev.safeconduct.audit.LogKey;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.http.Route;
import dev.safeconduct.people.ActingOrganization;
import dev.safeconduct.retention.RetentionEndpoints;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.DecisionProofs;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The audit log: its routes, and the proofs that go with decisions. */
record AuditParts(
    List<Route> routes, DecisionProofs proofs, RetentionEndpoints retention, ExportJobs exports) {
  static AuditParts of(
      ServiceConfig config, InstantSource clock, Store store, KeyRing keys, Recorder recorder) {
    Supplier<List<LogKey>> signing =
        () -> keys.logSigners().stream().<LogKey>map(CheckpointKey::new).toList();
    Checkpoints checkpoints =
        new Checkpoints(
            store.merkleLog(),
            LogOrigin.of(store.vault(), config.http().baseUrl()),
            signing,
            clock);
    var routes = new ArrayList<Route>();
    routes.addAll(
        new AuditEndpoints(store.auditLog(), store.merkleLog(), checkpoints, clock).routes());
    routes.addAll(
        new LogEndpoints(
                store.merkleLog(),
                checkpoints,
                new Cosignatures(
                    config.witnesses(),
                    store.cosignedLog(),
                    store.merkleLog(),
                    checkpoints,
                    new KeyCheck(List.of(), Ed25519.fastest())),
                config.auditLogPublic())
            .routes());
    var retention =
        new RetentionEndpoints(
            store.erasures(),
            store.auditLog(),
            recorder,
            new ActingOrganization(store.organizations()));
    routes.addAll(retention.routes());
    return new AuditParts(
        routes,
        new DecisionProofs(store.auditLog(), store.merkleLog(), checkpoints),
        retention,
        new ExportJobs(
            config.dataDir().resolve("exports"),
            store.auditLog(),
            store.merkleLog(),
            checkpoints,
            signing,
            recorder::nextHex,
            clock));
  }
}

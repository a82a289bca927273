package dev.safeconduct;

import dev.safeconduct.audit.AuditEndpoints;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.LogEndpoints;
import dev.safeconduct.audit.LogKey;
import dev.safeconduct.http.Route;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.store.Store;
import dev.safeconduct.verify.DecisionProofs;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The audit log: its routes, and the proofs that go with decisions. */
record AuditParts(List<Route> routes, DecisionProofs proofs) {
  static AuditParts of(ServiceConfig config, InstantSource clock, Store store, KeyRing keys) {
    Checkpoints checkpoints =
        new Checkpoints(
            store.merkleLog(),
            LogOrigin.of(store.vault(), config.http().baseUrl()),
            () -> keys.logSigners().stream().<LogKey>map(CheckpointKey::new).toList(),
            clock);
    var routes = new ArrayList<Route>();
    routes.addAll(new AuditEndpoints(store.auditLog(), store.merkleLog(), checkpoints).routes());
    routes.addAll(
        new LogEndpoints(store.merkleLog(), checkpoints, config.auditLogPublic()).routes());
    return new AuditParts(
        routes, new DecisionProofs(store.auditLog(), store.merkleLog(), checkpoints));
  }
}

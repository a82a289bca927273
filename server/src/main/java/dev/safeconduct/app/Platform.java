package dev.safeconduct.app;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.http.HealthCheck;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.PassportDirectory;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.RevokedKeys;
import dev.safeconduct.signing.Vault;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.telemetry.Metrics;
import dev.safeconduct.text.Templates;
import dev.safeconduct.verify.Reservations;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** The dependencies that all features share. */
record Platform(
    ServerConfig config,
    InstantSource clock,
    SecureRandom random,
    Storage store,
    Keys keys,
    Recorder recorder,
    Metrics metrics,
    Templates templates)
    implements AutoCloseable {
  /**
   * The keys.
   *
   * @param material where signing keys are created and opened
   */
  record Keys(MasterKey master, PrivateKeys material, KeyRing ring) {}

  /**
   * Opens the store and the keys.
   *
   * @throws IOException when the master key file or the security module cannot be used
   * @throws WrongMasterKeyException when the stored keys do not open
   */
  static Platform open(ServerConfig config, InstantSource clock)
      throws IOException, WrongMasterKeyException {
    var random = new SecureRandom();
    Storage store =
        Storage.open(
            config.storage().database(),
            InstantSource.system(),
            List.of(Reservations::sweep, Approvals::sweep, Events::sweep, Sessions::sweep));
    try {
      Keys keys = keys(config.storage(), store, clock, random);
      var ids = new RecordIds(clock, () -> ThreadLocalRandom.current().nextLong());
      return new Platform(
          config,
          clock,
          random,
          store,
          keys,
          new Recorder(ids, clock),
          ServiceMetrics.of(config, store, keys.ring()),
          new Templates());
    } catch (Throwable e) {
      store.close();
      throw e;
    }
  }

  private static Keys keys(
      StorageConfig storage, Storage store, InstantSource clock, SecureRandom random)
      throws IOException, WrongMasterKeyException {
    KeyConfig config = storage.keys();
    boolean sealed = !new Vault(store).signingKeys().isEmpty();
    MasterKey master = config.masterKey().open(sealed, random);
    PrivateKeys material = config.moduleSigning().material(config.masterKey(), master);
    try {
      var revoked =
          new RevokedKeys(Optional.of(storage.dataDir()), () -> store.seenLog().accepted());
      KeyRing ring = KeyRing.open(new Vault(store), material, revoked, clock.instant(), random);
      store
          .changes()
          .listen(change -> {
            if (change.subject().equals(Change.SIGNING_KEYS)) {
              ring.forget();
            }
          });
      return new Keys(master, material, ring);
    } catch (Throwable e) {
      material.close();
      throw e;
    }
  }

  List<HealthCheck> health() {
    return List.of(
        new HealthCheck("store", store::healthy),
        new HealthCheck("changes", store::hears),
        new HealthCheck("log", () -> !store.seenLog().isRefused()),
        new HealthCheck("clock", store::clockAgrees),
        new HealthCheck("signing", keys.ring()::works));
  }

  Cell cell() {
    return config.operator().cell();
  }

  /** Returns the service's own address, as passports and links contain it. */
  String baseUrl() {
    return config.http().baseUrl().toString();
  }

  Directory directory() {
    return new PassportDirectory(new Organizations(store), new Passports(store));
  }

  ActingOrganization organization() {
    return new ActingOrganization(new Organizations(store));
  }

  Events events() {
    return new Events(store, recorder, baseUrl());
  }

  Redaction redaction() {
    return new Redaction(keys.master().derive("redaction"));
  }

  @Override
  public void close() {
    store.close();
    keys.material().close();
  }
}

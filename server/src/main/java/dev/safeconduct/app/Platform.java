package dev.safeconduct.app;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.html.Templates;
import dev.safeconduct.http.HealthCheck;
import dev.safeconduct.http.Metrics;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.PassportDirectory;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The dependencies that all features share. */
record Platform(
    ServerConfig config,
    InstantSource clock,
    SecureRandom random,
    Store store,
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
    Store store = Store.open(config.storage().database());
    try {
      Keys keys = keys(config.storage().keys(), store, clock, random);
      var ids = new RecordIds(clock, () -> ThreadLocalRandom.current().nextLong());
      return new Platform(
          config,
          clock,
          random,
          store,
          keys,
          new Recorder(ids, clock),
          metrics(store),
          new Templates());
    } catch (IOException | WrongMasterKeyException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private static Keys keys(KeyConfig config, Store store, InstantSource clock, SecureRandom random)
      throws IOException, WrongMasterKeyException {
    boolean sealed = !store.vault().signingKeys().isEmpty();
    MasterKey master = config.masterKey().open(sealed, random);
    PrivateKeys material = config.moduleSigning().material(config.masterKey(), master);
    try {
      KeyRing ring = KeyRing.open(store.vault(), material, clock.instant(), random);
      store
          .changes()
          .listen(change -> {
            if (change.subject().equals(Change.SIGNING_KEYS)) {
              ring.forget();
            }
          });
      return new Keys(master, material, ring);
    } catch (WrongMasterKeyException | RuntimeException e) {
      material.close();
      throw e;
    }
  }

  private static Metrics metrics(Store store) {
    var metrics = new Metrics();
    metrics.gauge("safeconduct.store.waiting", "Entries that wait to be written", store::waiting);
    metrics.growing("safeconduct.store.batches", "Transactions of the writer", store::batches);
    metrics.growing("safeconduct.store.written", "Entries in those transactions", store::written);
    metrics.gauge(
        "safeconduct.store.healthy",
        "1 while decisions can be recorded",
        () -> store.healthy() ? 1 : 0);
    return metrics;
  }

  List<HealthCheck> health() {
    return List.of(
        new HealthCheck("store", store::healthy),
        new HealthCheck("changes", store::hears),
        new HealthCheck("signing", keys.ring()::works));
  }

  /** Returns the service's own address, as passports and links contain it. */
  String baseUrl() {
    return config.http().baseUrl().toString();
  }

  Directory directory() {
    return new PassportDirectory(store.organizations(), store.passports());
  }

  ActingOrganization organization() {
    return new ActingOrganization(store.organizations());
  }

  Redaction redaction() {
    return new Redaction(keys.master().derive("redaction"));
  }

  @Override
  public void close() {
    store.close();
    keys.material().close();
    metrics.close();
  }
}

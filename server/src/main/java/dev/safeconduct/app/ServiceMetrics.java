package dev.safeconduct.app;

import dev.safeconduct.db.Database;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.telemetry.Metrics;
import dev.safeconduct.telemetry.OtlpConfig;
import java.nio.file.Path;
import java.util.List;

/** The metrics of what all features share: database, log, keys, disk. */
final class ServiceMetrics {
  private ServiceMetrics() {}

  /** Creates the metrics of a service, with those of its platform. */
  static Metrics of(ServerConfig config, Storage store, KeyRing ring) {
    boolean traced = config.telemetry().otlp().exported().contains(OtlpConfig.Signal.TRACES);
    var metrics = new Metrics(Version.current(), traced);
    writer(metrics, store);
    log(metrics, store);
    database(metrics, store.database());
    disk(metrics, config.storage());
    keys(metrics, ring);
    return metrics;
  }

  private static void writer(Metrics metrics, Storage store) {
    metrics.gauge("safeconduct_store_waiting", "Entries that wait to be written", store::waiting);
    metrics.growing("safeconduct_store_batches", "Transactions of the writer", store::batches);
    metrics.growing("safeconduct_store_written", "Entries in those transactions", store::written);
    metrics.timer(
        "safeconduct_store_commit_duration_seconds",
        "Time of the writer's transactions",
        store::batches,
        store::commitNanos);
    metrics.gauge(
        "safeconduct_store_healthy",
        "1 while decisions can be recorded",
        () -> store.healthy() ? 1 : 0);
  }

  private static void log(Metrics metrics, Storage store) {
    metrics.gauge(
        "safeconduct_log_records",
        "Records of the log that this node has seen",
        store.seenLog()::size);
    metrics.gauge(
        "safeconduct_log_refused",
        "1 while the database lacks records of the log that nodes have seen",
        () -> store.seenLog().isRefused() ? 1 : 0);
    metrics.gauge(
        "safeconduct_change_feed_sequence",
        "The last change that this node knows; one that is behind the others' misses changes",
        store.changes()::sequence);
    metrics.gauge(
        "safeconduct_change_feed_age_seconds",
        "Time since this node looked for changes of other nodes; 0 on SQLite",
        () -> store.sinceFollowed().toNanos() / 1e9);
    metrics.gauge(
        "safeconduct_clock_difference_seconds",
        "By how much this node's clock differs from the database's, at least",
        () -> store.clockDifferenceMs() / 1e3);
  }

  private static void database(Metrics metrics, Database database) {
    String connections = "Connections of this node that read, by state";
    metrics.gauge(
        "safeconduct_db_connections",
        connections,
        "state",
        "active",
        () -> database.connections().active());
    metrics.gauge(
        "safeconduct_db_connections",
        connections,
        "state",
        "idle",
        () -> database.connections().idle());
    metrics.gauge(
        "safeconduct_db_connections_max",
        "Most connections of this node that read",
        () -> database.connections().most());
    metrics.gauge(
        "safeconduct_db_connections_waiting",
        "Threads that wait for such a connection",
        () -> database.connections().waiting());
  }

  private static void disk(Metrics metrics, StorageConfig storage) {
    Path folder = storage.dataDir();
    metrics.gauge(
        "safeconduct_data_dir_free_bytes",
        "Free space of the file system of DATA_DIR",
        () -> folder.toFile().getUsableSpace());
    if (storage.databaseUrl().isEmpty()) {
      for (String file : List.of("safeconduct.db", "safeconduct.db-wal")) {
        metrics.gauge(
            "safeconduct_sqlite_size_bytes",
            "Size of the files of the SQLite database; absent with PostgreSQL",
            "file",
            file,
            () -> folder.resolve(file).toFile().length());
      }
    }
  }

  private static void keys(Metrics metrics, KeyRing ring) {
    metrics.gauge(
        "safeconduct_signing_healthy",
        "1 while decisions can be signed",
        () -> ring.works() ? 1 : 0);
    for (Purpose purpose : Purpose.values()) {
      metrics.gauge(
          "safeconduct_signing_key_created_timestamp_seconds",
          "When the current signing key of each purpose was created, as Unix time",
          "purpose",
          purpose.wire(),
          () ->
              ring.all().stream()
                  .filter(key -> key.purpose() == purpose && key.retiredAt().isEmpty())
                  .mapToDouble(key -> key.createdAt().toEpochMilli() / 1e3)
                  .max()
                  .orElseThrow());
    }
  }
}

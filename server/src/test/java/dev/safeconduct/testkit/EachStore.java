package dev.safeconduct.testkit;

import dev.safeconduct.db.StoreConfig;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Names a store in parameters: JUnit would close a service that is one. */
public enum EachStore {
  SQLITE,
  POSTGRES;

  /**
   * What a service needs to be told to have a new store of this kind, which may have its tables
   * already; two may share it.
   */
  public Map<String, String> settings() {
    return this == SQLITE ? Map.of() : postgres(PostgresServer.shared().databaseWithTables());
  }

  /** As {@link #settings}, without tables. */
  public Map<String, String> emptySettings() {
    return this == SQLITE ? Map.of() : postgres(PostgresServer.shared().freshDatabase());
  }

  private static Map<String, String> postgres(String url) {
    return Map.of(
        "DATABASE_URL", url, "SAFECONDUCT_MASTER_KEY", "a master key of the tests, long enough");
  }

  /** A new store of this kind, which may have its tables already; SQLite keeps it in the folder. */
  public StoreConfig newStore(Path folder) {
    return this == SQLITE
        ? StoreConfig.sqlite(folder)
        : StoreConfig.postgres(PostgresServer.shared().databaseWithTables());
  }

  /** A new store of this kind without tables; SQLite keeps it in the folder. */
  public StoreConfig emptyStore(Path folder) {
    return this == SQLITE
        ? StoreConfig.sqlite(folder)
        : StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }

  /** A connection of somebody who can write to the database of a service with these settings. */
  public Connection connection(Map<String, String> settings) throws SQLException {
    if (this == SQLITE) {
      return DriverManager.getConnection(
          "jdbc:sqlite:" + settings.get("DATA_DIR") + "/safeconduct.db");
    }
    URI url = URI.create(String.valueOf(settings.get("DATABASE_URL")));
    String[] user = (url.getUserInfo() + ":").split(":", -1);
    return DriverManager.getConnection(
        "jdbc:postgresql://" + url.getAuthority().replaceAll("^.*@", "") + url.getPath(),
        user[0],
        user[1]);
  }

  /** A new service on a new store of this kind. */
  public TestService start(Map<String, String> settings, InstantSource clock) {
    var all = new HashMap<>(settings);
    all.putAll(settings());
    return TestService.start(all, clock);
  }

  /** One service on each. */
  public static final class Services implements AutoCloseable {
    private final Map<EachStore, TestService> services = new EnumMap<>(EachStore.class);

    public Services(InstantSource clock) {
      for (EachStore store : values()) {
        services.put(store, store.start(Map.of(), clock));
      }
    }

    public TestService on(EachStore store) {
      TestService service = services.get(store);
      if (service == null) {
        throw new AssertionError(store);
      }
      return service;
    }

    @Override
    public void close() {
      services.values().forEach(TestService::close);
    }
  }
}

package dev.safeconduct.store;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import dev.safeconduct.access.RateLimits;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL database, shared with other nodes. */
final class PostgresDatabase implements Database {
  private static final int READERS = 10;

  /** Seconds; what the address sets itself wins. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "ApplicationName", "safeconduct",
          "connectTimeout", "3",
          "loginTimeout", "5",
          "socketTimeout", "20",
          "tcpKeepAlive", "true",
          "targetServerType", "primary",
          "prepareThreshold", "2");

  private final DataSource source;
  private final HikariDataSource pool;
  private final Reads reads;
  private @Nullable PostgresFollower follower;
  private @Nullable SharedRateLimits limits;

  private PostgresDatabase(DataSource source) {
    this.source = source;
    this.pool = Database.pool(source, READERS);
    this.reads = new Reads(pool);
  }

  static PostgresDatabase open(String databaseUrl) {
    PostgresUrl url = PostgresUrl.parse(databaseUrl);
    DataSource source = source(url);
    try (Connection connection = source.getConnection()) {
      if (!connection.isValid(5)) {
        throw new StoreFault("The database " + url.shown() + " does not answer.");
      }
    } catch (SQLException e) {
      throw new StoreFault(
          "The database " + url.shown() + " cannot be reached: " + e.getMessage(), e);
    }
    Database.migrate(source, "postgresql");
    return new PostgresDatabase(source);
  }

  /** Connections that only read, also beside running services. */
  static HikariDataSource reading(String databaseUrl) {
    return Database.pool(source(PostgresUrl.parse(databaseUrl)), 1);
  }

  private static DataSource source(PostgresUrl url) {
    var properties = new Properties();
    DEFAULTS.forEach(properties::setProperty);
    url.properties().forEach(properties::setProperty);
    return new DriverDataSource(
        url.jdbc(),
        "org.postgresql.Driver",
        properties,
        properties.getProperty("user"),
        properties.getProperty("password"));
  }

  @Override
  public Session openSession() throws SQLException {
    Connection connection = source.getConnection();
    try (Statement statement = connection.createStatement()) {
      // A decision that was answered must be on disk, whatever the server's default.
      statement.execute(
          "SELECT set_config('synchronous_commit', 'on', false)"
              + " WHERE current_setting('synchronous_commit') = 'off'");
      // A node that stops in the middle of a batch must not keep the others from the lock.
      statement.execute("SET idle_in_transaction_session_timeout = '5s'");
      statement.execute("SET lock_timeout = '10s'");
    }
    // Each statement needs a snapshot of its own: the first one only waits for the lock.
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return new PostgresSession(connection);
  }

  @Override
  public Reads reads() {
    return reads;
  }

  @Override
  public String place(String text, String column) {
    return "position('" + text + "'::bytea IN " + column + ")";
  }

  /** Old rows are vacuum's, at a time of its own. */
  @Override
  public Optional<String> writeOver() {
    return Optional.empty();
  }

  @Override
  public Optional<RateLimits> rateLimits(InstantSource clock) {
    limits = new SharedRateLimits(source, clock);
    return Optional.of(limits);
  }

  @Override
  public void follow(SqlChangeFeed feed) {
    follower = new PostgresFollower(source, feed);
    follower.start();
  }

  @Override
  public boolean hears() {
    return follower != null && follower.isFresh();
  }

  @Override
  public void close() {
    if (follower != null) {
      follower.close();
    }
    if (limits != null) {
      limits.close();
    }
    pool.close();
  }
}

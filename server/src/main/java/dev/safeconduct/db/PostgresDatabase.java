package dev.safeconduct.db;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;

/** A PostgreSQL database, shared with other nodes. */
public final class PostgresDatabase implements Database {
  private static final int READERS = 10;

  /** Connection defaults, with timeouts in seconds; settings in the address take precedence. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "ApplicationName", "safeconduct",
          "connectTimeout", "2",
          "loginTimeout", "5",
          "socketTimeout", "20",
          "tcpKeepAlive", "true",
          "targetServerType", "primary",
          "prepareThreshold", "2");

  private final PostgresUrl url;
  private final DataSource source;
  private final HikariDataSource pool;
  private final Availability availability = new Availability();
  private final Reads reads;

  private PostgresDatabase(PostgresUrl url, DataSource source) {
    this.url = url;
    this.source = source;
    this.pool = Database.pool(source, READERS);
    this.reads = new Reads(pool, availability);
  }

  public static PostgresDatabase open(String databaseUrl) {
    PostgresUrl url = PostgresUrl.parse(databaseUrl);
    DataSource source = source(url, Map.of());
    try (Connection connection = source.getConnection()) {
      if (!connection.isValid(5)) {
        throw new StoreFault("The database " + url.shown() + " does not answer.");
      }
    } catch (SQLException e) {
      throw new StoreFault(
          "The database " + url.shown() + " cannot be reached: " + e.getMessage(), e);
    }
    Database.migrate(source, "postgresql");
    return new PostgresDatabase(url, source);
  }

  static HikariDataSource reading(String databaseUrl) {
    return Database.pool(source(PostgresUrl.parse(databaseUrl), Map.of()), 1);
  }

  static Connection writing(String databaseUrl) throws SQLException {
    return source(PostgresUrl.parse(databaseUrl), Map.of()).getConnection();
  }

  private static DataSource source(PostgresUrl url, Map<String, String> more) {
    var properties = new Properties();
    DEFAULTS.forEach(properties::setProperty);
    url.properties().forEach(properties::setProperty);
    more.forEach(properties::setProperty);
    return new DriverDataSource(
        url.jdbc(),
        "org.postgresql.Driver",
        properties,
        properties.getProperty("user"),
        properties.getProperty("password"));
  }

  @Override
  public Connection openWriter() throws SQLException {
    Connection connection = source.getConnection();
    try (Statement statement = connection.createStatement()) {
      // A decision that was returned must be on disk, whatever the server's default.
      statement.execute(
          """
          SELECT set_config('synchronous_commit', 'on', false)
           WHERE current_setting('synchronous_commit') = 'off'
          """);
      // A node that stops in the middle of a batch, or is cut off, must not block other nodes.
      statement.execute("SET idle_in_transaction_session_timeout = '1500ms'");
      statement.execute("SET lock_timeout = '2s'");
    }
    // Each statement needs its own snapshot, as the first one only waits for the lock.
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return connection;
  }

  @Override
  public Reads reads() {
    return reads;
  }

  @Override
  public Availability availability() {
    return availability;
  }

  @Override
  public String place(String text, String column) {
    return "position('" + text + "'::bytea IN " + column + ")";
  }

  /** Empty, as PostgreSQL's vacuum removes old rows at its own time. */
  @Override
  public Optional<String> writeOver() {
    return Optional.empty();
  }

  /**
   * Returns connections for short statements, which fail when the database does not answer soon.
   */
  public DataSource quickSource() {
    return source(url, Map.of("socketTimeout", "2"));
  }

  /** Returns connections for uses other than queries and the writer. */
  public DataSource source() {
    return source;
  }

  @Override
  public void close() {
    pool.close();
  }
}

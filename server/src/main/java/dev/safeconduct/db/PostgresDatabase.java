package dev.safeconduct.db;

import com.zaxxer.hikari.HikariDataSource;
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

  /**
   * Connection defaults, with timeouts in seconds; settings in the address take precedence. A host
   * that does not answer costs each connection two seconds, and no connection more than four.
   */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "ApplicationName", "safeconduct",
          "connectTimeout", "2",
          "loginTimeout", "4",
          "socketTimeout", "2",
          "tcpKeepAlive", "true",
          "targetServerType", "primary",
          "prepareThreshold", "2");

  /** SQL_ASCII holds any bytes. */
  private static final String OTHER_ENCODING =
      """
      SELECT current_setting('server_encoding')
       WHERE current_setting('server_encoding') NOT IN ('UTF8', 'SQL_ASCII')
         AND to_regclass('passport') IS NULL
      """;

  private static final int QUERY_MS = 20_000;
  private static final int QUICK_MS = 2_000;

  private final PostgresHosts hosts;
  private final DataSource source;
  private final DataSource quickSource;
  private final HikariDataSource pool;
  private final Availability availability = new Availability();
  private final Reads reads;

  private PostgresDatabase(PostgresHosts hosts, DataSource source, DataSource quickSource) {
    this.hosts = hosts;
    this.source = source;
    this.quickSource = quickSource;
    this.pool = Database.pool(source, READERS);
    this.reads = new Reads(pool, availability, READERS - 3);
  }

  public static PostgresDatabase open(String databaseUrl) {
    PostgresUrl url = PostgresUrl.parse(databaseUrl);
    PostgresHosts hosts = hosts(url);
    DataSource source = reached(url, hosts);
    demandUnicode(url, source);
    new Migrations(source, Migrations.POSTGRESQL).run();
    return new PostgresDatabase(hosts, source, hosts.source(QUICK_MS));
  }

  static HikariDataSource reading(String databaseUrl) {
    PostgresUrl url = PostgresUrl.parse(databaseUrl);
    return Database.pool(reached(url, hosts(url)), 2);
  }

  static Connection writing(String databaseUrl) throws SQLException {
    PostgresUrl url = PostgresUrl.parse(databaseUrl);
    return source(url, hosts(url)).getConnection();
  }

  private static PostgresHosts hosts(PostgresUrl url) {
    var properties = new Properties();
    DEFAULTS.forEach(properties::setProperty);
    url.properties().forEach(properties::setProperty);
    return new PostgresHosts(url.jdbc(), properties);
  }

  /** Returns connections, of which one was made: a pool would not say why there is none. */
  private static DataSource reached(PostgresUrl url, PostgresHosts hosts) {
    DataSource source = source(url, hosts);
    try (Connection connection = source.getConnection()) {
      if (!connection.isValid(5)) {
        throw new StoreFault("The database " + url.shown() + " does not answer.");
      }
      return source;
    } catch (SQLException e) {
      throw new StoreFault(
          "The database " + url.shown() + " cannot be reached: " + e.getMessage(), e);
    }
  }

  /** Refuses a new database that cannot hold every text; one in use may never need another. */
  private static void demandUnicode(PostgresUrl url, DataSource source) {
    try (Connection connection = source.getConnection()) {
      Optional<String> other = Sql.of(OTHER_ENCODING).first(connection, row -> row.getString(1));
      if (other.isPresent()) {
        throw new StoreFault(
            "The database "
                + url.shown()
                + " has the encoding "
                + other.get()
                + ", which lacks most characters. Create it with ENCODING 'UTF8'.");
      }
    } catch (SQLException e) {
      throw new StoreFault("The encoding of the database cannot be read: " + e.getMessage(), e);
    }
  }

  private static DataSource source(PostgresUrl url, PostgresHosts hosts) {
    String given = url.properties().get("socketTimeout");
    return hosts.source(given == null ? QUERY_MS : 1_000 * Integer.parseInt(given));
  }

  @Override
  public Connection openWriter() throws SQLException {
    return openWriter(false, _ -> true);
  }

  /** Returns whether the database has the log that was seen. */
  @FunctionalInterface
  public interface Choice {
    boolean accepts(Connection connection) throws SQLException;
  }

  /**
   * As {@link #openWriter()}, on the first host that is accepted. All other connections are then to
   * the same server. If no host is accepted, the connection is to one that is not.
   *
   * @param elsewhere whether to begin with another host than last time, because that one failed
   */
  public Connection openWriter(boolean elsewhere, Choice choice) throws SQLException {
    return prepared(hosts.openWriter(elsewhere, choice));
  }

  private static Connection prepared(Connection connection) throws SQLException {
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
      // To plan each batch anew would cost too much. A plan that is kept must use an index, however
      // small the table was.
      statement.execute("SET plan_cache_mode = auto");
      statement.execute("SET enable_seqscan = off");
      statement.execute(
          "SET jit = off"); // the planner's cost of an unavoidable scan would start it
    }
    // Each statement needs its own snapshot, as the first one only waits for the lock.
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return connection;
  }

  @Override
  public Connections connections() {
    return Connections.of(pool);
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
    return quickSource;
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

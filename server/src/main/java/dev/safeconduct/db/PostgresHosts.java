package dev.safeconduct.db;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections to one server among the hosts of an address. The writer chooses the server: a primary
 * whose log is the one that was seen. All other connections must be to the same one, because an old
 * primary that came back also accepts connections, and its data are those from before the failover.
 * The driver's own choice among hosts knows only whether a host is a primary.
 */
final class PostgresHosts {
  /** Another server, or the same one after it was started again, has another time. */
  private static final String SERVER =
      "SELECT extract(epoch FROM pg_postmaster_start_time())::text";

  private final Driver driver = new org.postgresql.Driver();
  private final List<String> addresses;
  private final Properties properties;

  /** Open connections with their server; guarded by this. */
  private final Map<Connection, String> open = new HashMap<>();

  /** Where the writer is, or was last; empty before its first connection. */
  private volatile String server = "";

  private volatile int host;

  /**
   * Uses these hosts.
   *
   * @param addresses a JDBC address for each host
   * @param properties of the driver; its socket time-out applies while a connection is opened
   */
  PostgresHosts(List<String> addresses, Properties properties) {
    this.addresses = List.copyOf(addresses);
    this.properties = properties;
  }

  /**
   * Opens the writer's connection, and ends the connections to other servers. If no host is
   * accepted, the connection is to one that is not.
   *
   * @param elsewhere whether to begin with another host than last time
   */
  Connection openWriter(boolean elsewhere, PostgresDatabase.Choice choice) throws SQLException {
    Connection refused = null;
    int refusedAt = 0;
    var failures = new HostFailures();
    int first = host + (elsewhere ? 1 : 0);
    for (int i = 0; i < addresses.size(); i++) {
      int at = (first + i) % addresses.size();
      try {
        Connection connection = connect(at);
        if (accepts(connection, choice)) {
          closeUnused(refused);
          return chosen(connection, at);
        }
        closeUnused(refused);
        refused = connection;
        refusedAt = at;
      } catch (SQLException e) {
        failures.add(e);
      }
    }
    if (refused == null) {
      throw failures.all();
    }
    return chosen(refused, refusedAt);
  }

  /** Opens a connection to the writer's server, or to any primary before that is known. */
  private Connection open() throws SQLException {
    var failures = new HostFailures();
    int first = host;
    for (int i = 0; i < addresses.size(); i++) {
      int at = (first + i) % addresses.size();
      try {
        Connection connection = connect(at);
        if (isToTheServer(connection, at)) {
          return connection;
        }
        closeUnused(connection);
        failures.add(new SQLException("This host is not the one that the node writes to", "08001"));
      } catch (SQLException e) {
        failures.add(e);
      }
    }
    throw failures.all();
  }

  private Connection connect(int at) throws SQLException {
    Connection connection = driver.connect(addresses.get(at), properties);
    if (connection == null) {
      throw new SQLException(addresses.get(at) + " is not an address of PostgreSQL", "08001");
    }
    try (Statement statement = connection.createStatement()) {
      // A kept plan is as old as the statistics. One that was made while a table was small scans
      // the whole table for each row, for up to a minute after the table has grown.
      statement.execute("SET plan_cache_mode = force_custom_plan");
    } catch (SQLException e) {
      closeUnused(connection);
      throw e;
    }
    return connection;
  }

  private static boolean accepts(Connection connection, PostgresDatabase.Choice choice)
      throws SQLException {
    try {
      return choice.accepts(connection);
    } catch (SQLException e) {
      closeUnused(connection);
      throw e;
    }
  }

  private Connection chosen(Connection connection, int at) throws SQLException {
    String theirs = server(connection);
    synchronized (this) {
      host = at;
      server = theirs;
      forgetClosed();
      for (Map.Entry<Connection, String> other : open.entrySet()) {
        if (!other.getValue().equals(theirs)) {
          other.getKey().abort(Runnable::run);
        }
      }
      open.put(connection, theirs);
    }
    return connection;
  }

  private boolean isToTheServer(Connection connection, int at) throws SQLException {
    String theirs = server(connection);
    synchronized (this) {
      if (server.isEmpty()) {
        host = at; // a start must not try a host that does not answer for each connection
      } else if (!server.equals(theirs)) {
        return false;
      }
      forgetClosed();
      open.put(connection, theirs);
      return true;
    }
  }

  private void forgetClosed() throws SQLException {
    for (Connection connection : List.copyOf(open.keySet())) {
      if (connection.isClosed()) {
        open.remove(connection);
      }
    }
  }

  private static String server(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SERVER)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      closeUnused(connection);
      throw e;
    }
  }

  private static void closeUnused(@Nullable Connection connection) throws SQLException {
    if (connection != null) {
      connection.abort(Runnable::run); // a close would wait for a server that hangs
    }
  }

  /**
   * Returns connections to the writer's server.
   *
   * @param silenceMs after how long a query fails that the server does not answer
   */
  DataSource source(int silenceMs) {
    return new ServerConnections(this, silenceMs);
  }

  /** Why no host could be used; the first is the most likely cause. */
  private static final class HostFailures {
    private @Nullable SQLException first;

    void add(SQLException failure) {
      if (first == null) {
        first = failure;
      } else {
        first.addSuppressed(failure);
      }
    }

    SQLException all() {
      return first == null ? new SQLException("no host is named", "08001") : first;
    }
  }

  private record ServerConnections(PostgresHosts hosts, int silenceMs) implements DataSource {
    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = hosts.open();
      connection.setNetworkTimeout(Runnable::run, silenceMs);
      return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLException("This is not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }
}

package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of the changes other nodes make: at once by NOTIFY, and by looking after a quarter of a
 * second at the latest, should a notification be lost.
 */
final class PostgresFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresFollower.class);

  static final String CHANNEL = "safeconduct_change";
  private static final int POLL_MS = 250;

  private final DataSource source;
  private final SqlChangeFeed feed;
  private final Thread thread;
  private volatile boolean closing;
  private volatile boolean following = true;
  private @Nullable Connection connection;

  PostgresFollower(DataSource source, SqlChangeFeed feed) {
    this.source = source;
    this.feed = feed;
    this.thread = Thread.ofPlatform().name("store-follower").daemon().unstarted(this::follow);
  }

  void start() {
    thread.start();
  }

  /** Whether the last look at the changes went well. */
  boolean follows() {
    return following;
  }

  private void follow() {
    while (!closing) {
      try {
        look();
        following = true;
      } catch (SQLException | RuntimeException e) {
        LOG.warn("changes of other nodes cannot be followed: {}", e.getMessage());
        following = false;
        disconnect();
        LockSupport.parkNanos(this, POLL_MS * 1_000_000L);
      }
    }
    disconnect();
  }

  private void look() throws SQLException {
    if (connection == null) {
      connection = source.getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN " + CHANNEL);
      }
    }
    // Changes appear in the order of their sequence, as each is written under the log's lock.
    List<Change> changes =
        Sql.list(
            connection,
            SqliteStatements.CHANGES_AFTER,
            row -> new Change(row.getLong(1), row.getString(2)),
            List.of(feed.sequence()));
    feed.apply(changes);
    // What it says does not matter: the next look finds it.
    connection.unwrap(PGConnection.class).getNotifications(POLL_MS);
  }

  private void disconnect() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      LOG.debug("closing the follower's connection failed", e);
    }
    connection = null;
  }

  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.background.Background;
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
  private static final long MOST_STALE_NANOS = 900_000_000L;

  private final DataSource source;
  private final SqlChangeFeed feed;
  private final Background thread;
  private volatile boolean closing;
  private volatile long lookedAt = System.nanoTime();
  private @Nullable Connection connection;

  PostgresFollower(DataSource source, SqlChangeFeed feed) {
    this.source = source;
    this.feed = feed;
    this.thread = Background.named("store-follower", this::follow);
  }

  void start() {
    thread.start();
  }

  /** Whether it has looked a moment ago, so that nothing older than that is unknown here. */
  boolean isFresh() {
    return System.nanoTime() - lookedAt < MOST_STALE_NANOS;
  }

  private void follow() {
    while (!closing) {
      try {
        look();
      } catch (SQLException | RuntimeException e) {
        LOG.warn("changes of other nodes cannot be followed: {}", e.getMessage());
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
    lookedAt = System.nanoTime();
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
    thread.wake();
    thread.awaitEnd();
  }
}

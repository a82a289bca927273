package dev.safeconduct.ledger;

import dev.safeconduct.concurrent.Background;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the changes of other nodes. NOTIFY reports them at once; polling every quarter of a
 * second covers a lost notification.
 */
final class PostgresFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresFollower.class);

  private static final int POLL_MS = 250;
  private static final long MOST_STALE_NANOS = 900_000_000L;

  private final DataSource source;
  private final ChangeFeed feed;
  private final Background thread;
  private volatile boolean closing;
  private volatile long lookedAt = System.nanoTime();
  private @Nullable Connection connection;

  PostgresFollower(DataSource source, ChangeFeed feed) {
    this.source = source;
    this.feed = feed;
    this.thread = Background.named("store-follower", this::follow);
  }

  void start() {
    thread.start();
  }

  /** Returns whether it has polled recently, so that this node misses no older change. */
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
        statement.execute("LISTEN safeconduct_change");
      }
    }
    // Changes become visible in sequence order, as each is written under the log's lock.
    feed.apply(Change.after(connection, feed.sequence()));
    lookedAt = System.nanoTime();
    // The notification's content does not matter: the next poll finds the change.
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

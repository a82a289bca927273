package dev.safeconduct.ledger;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.Availability;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.SqlFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;
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

  /** A database that does not answer for this long hangs, or is out of reach. */
  private static final int SILENCE_MS = 1_750;

  private static final String TIME =
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

  private final PostgresDatabase database;
  private final ChangeFeed feed;
  private final SeenLog seen;
  private final InstantSource clock;
  private final Background thread;
  private volatile boolean closing;
  private volatile long lookedAt = System.nanoTime();
  private volatile long clockDifferenceMs;
  private @Nullable Connection connection;

  PostgresFollower(PostgresDatabase database, ChangeFeed feed, SeenLog seen, InstantSource clock) {
    this.database = database;
    this.feed = feed;
    this.seen = seen;
    this.clock = clock;
    this.thread = Background.named("store-follower", this::follow);
  }

  void start() {
    thread.start();
  }

  /** Returns whether it has polled recently, so that this node misses no older change. */
  boolean isFresh() {
    return System.nanoTime() - lookedAt < MOST_STALE_NANOS;
  }

  Duration sinceLooked() {
    return Duration.ofNanos(System.nanoTime() - lookedAt);
  }

  /** Returns by how much this node's clock differs from the database's, at least. */
  long clockDifferenceMs() {
    return clockDifferenceMs;
  }

  private void follow() {
    boolean again = false;
    while (!closing) {
      try {
        look();
        again = false;
      } catch (SQLException | RuntimeException e) {
        disconnect();
        boolean silent = SqlFault.isSilence(e);
        if (silent || again) {
          database.availability().begin(Availability.Part.FOLLOWER, e);
          if (silent) {
            database.reads().abort();
          }
          LockSupport.parkNanos(this, POLL_MS * 1_000_000L);
        }
        again = true; // One lost connection is not an outage: connect again at once.
      }
    }
    disconnect();
  }

  private void look() throws SQLException {
    if (connection == null) {
      connection = database.source().getConnection();
      connection.setNetworkTimeout(Runnable::run, SILENCE_MS);
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN safeconduct_change");
      }
    }
    compareClocks(connection);
    boolean _ = seen.check(connection);
    // Changes become visible in sequence order, as each is written under the log's lock.
    feed.apply(Change.after(connection, feed.sequence()));
    if (database.availability().stopsReads()) {
      database.reads().probe(Sql.of(TIME));
    }
    lookedAt = System.nanoTime();
    database.availability().end(Availability.Part.FOLLOWER);
    // The notification's content does not matter: the next poll finds the change.
    connection.unwrap(PGConnection.class).getNotifications(POLL_MS);
  }

  /** The database read its clock between two readings of this one. */
  private void compareClocks(Connection open) throws SQLException {
    long before = clock.millis();
    long theirs = Sql.of(TIME).number(open);
    long after = clock.millis();
    clockDifferenceMs = Math.max(0, Math.max(before - theirs, theirs - after));
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

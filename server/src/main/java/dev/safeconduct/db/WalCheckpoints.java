package dev.safeconduct.db;

import dev.safeconduct.config.Background;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints SQLite's write-ahead log into the file while the writer keeps appending, so that
 * callers do not wait for it. The log starts over once the writer itself has checkpointed the few
 * pages appended meanwhile.
 */
public final class WalCheckpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WalCheckpoints.class);

  /** The number of pages between two checkpoints: 1.6 MB. */
  private static final long EVERY_BYTES = 200L * SqliteDatabase.PAGE_BYTES;

  private static final Duration ENDING = Duration.ofSeconds(2);

  /** Pages that every transaction appends: the ends of the log's table and of its indexes. */
  private static final long TRANSACTION_BYTES = 5L * SqliteDatabase.PAGE_BYTES;

  /** Opens a dedicated connection. */
  @FunctionalInterface
  interface Connections {
    Connection open() throws SQLException;
  }

  private final Connections connections;
  private final Background thread;
  private @Nullable Connection connection;
  private volatile boolean due;
  private volatile boolean closing;

  /** The approximate number of pages since the last checkpoint; used by the writer only. */
  private long appended;

  WalCheckpoints(Connections connections) {
    this.connections = connections;
    this.thread = Background.named("wal-checkpoints", this::work);
  }

  void start() {
    thread.start();
  }

  /** Notified of each transaction of the writer and the approximate number of bytes it appended. */
  public void committed(long bytes) {
    appended += TRANSACTION_BYTES + bytes;
    if (appended >= EVERY_BYTES) {
      appended = 0;
      due = true;
      thread.wake();
    }
  }

  private void work() {
    while (!closing) {
      if (due) {
        due = false;
        checkpoint();
      } else {
        LockSupport.park(this);
      }
    }
    disconnect();
  }

  private void checkpoint() {
    try {
      Connection open = connection;
      if (open == null) {
        open = connections.open();
        connection = open;
      }
      try (Statement statement = open.createStatement()) {
        statement.execute("PRAGMA wal_checkpoint(PASSIVE)");
      }
    } catch (SQLException | RuntimeException e) {
      // The writer checkpoints the log when it has grown too long.
      LOG.warn("the write-ahead log could not be taken into the file: {}", e.getMessage());
      disconnect();
    }
  }

  private void disconnect() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      LOG.debug("closing a connection failed", e);
    }
    connection = null;
  }

  /** Ends after the current checkpoint, unless the disk hangs. */
  @Override
  public void close() {
    closing = true;
    thread.wake();
    boolean _ = thread.awaitEnd(ENDING);
  }
}

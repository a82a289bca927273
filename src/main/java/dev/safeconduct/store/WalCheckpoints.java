package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.background.Background;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes SQLite's write-ahead log into the file while the writer goes on to append to it, so that
 * callers do not wait for that. The log starts over once the writer itself has taken in the little
 * that came meanwhile.
 */
final class WalCheckpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WalCheckpoints.class);

  /** How much is appended from one to the next: 1.6 MB. */
  private static final long EVERY_BYTES = 200L * SqliteDatabase.PAGE_BYTES;

  /** Pages that every transaction appends: the ends of the log's table and of its indexes. */
  private static final long TRANSACTION_BYTES = 5L * SqliteDatabase.PAGE_BYTES;

  /** Opens a connection for nothing but this. */
  @FunctionalInterface
  interface Connections {
    Connection open() throws SQLException;
  }

  private final Connections connections;
  private final Background thread;
  private @Nullable Connection connection;
  private volatile boolean due;
  private volatile boolean closing;

  /** About what has been appended since the last one; the writer's alone. */
  private long appended;

  WalCheckpoints(Connections connections) {
    this.connections = connections;
    this.thread = Background.named("wal-checkpoints", this::work);
  }

  void start() {
    thread.start();
  }

  /** Hears of each transaction of the writer. */
  void committed(Writes writes) {
    appended += TRANSACTION_BYTES;
    for (LogEntry entry : writes.records) {
      AuditRecord record = entry.record();
      appended += record.body().length + record.details().length;
    }
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
      // The writer takes the log in when it has grown too long.
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

  /** Ends after the one under way. */
  @Override
  public void close() {
    closing = true;
    thread.wake();
    thread.awaitEnd();
  }
}

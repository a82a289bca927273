package dev.safeconduct.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queries outside the writer; each sees all changes that were acknowledged before it began. */
public final class Reads {
  private static final Logger LOG = LoggerFactory.getLogger(Reads.class);

  /** More attempts than the pool's size, so that one of them uses a fresh connection. */
  private static final int MOST_BROKEN = 12;

  private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** As long as a wait for a connection. */
  private static final long MOST_WAIT_MS = 2_000;

  private final DataSource source;
  private final Availability availability;

  /** Lists, which can take seconds, leave some connections to what a decision or a halt reads. */
  private final Semaphore lists;

  private final Set<Connection> running = ConcurrentHashMap.newKeySet();
  private final AtomicLong logged = new AtomicLong(System.nanoTime() - LOG_EVERY_NANOS);

  /** Reads for one caller. */
  public Reads(DataSource source, Availability availability) {
    this(source, availability, Integer.MAX_VALUE);
  }

  /** {@code lists}: the connections that lists may use at once. */
  Reads(DataSource source, Availability availability, int lists) {
    this.source = source;
    this.availability = availability;
    this.lists = new Semaphore(lists, true);
  }

  /** Ends all running queries: the database does not answer. */
  public void abort() {
    for (Connection connection : running) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException e) {
        LOG.debug("a query could not be ended", e);
      }
    }
  }

  /**
   * Returns the rows of a query.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Unavailable} when it fails
   */
  public <T> List<T> list(Sql query, Sql.Row<T> row) {
    if (availability.stopsReads()) {
      throw StoreUnavailable.failed().toException();
    }
    try {
      if (!lists.tryAcquire(MOST_WAIT_MS, TimeUnit.MILLISECONDS)) {
        throw StoreUnavailable.late().toException();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw StoreUnavailable.late().toException();
    }
    try {
      return few(query, row);
    } finally {
      lists.release();
    }
  }

  /**
   * As {@link #list}, for the few rows that a decision, a sign-in, a halt or an event depends on:
   * lists never delay it.
   */
  public <T> List<T> few(Sql query, Sql.Row<T> row) {
    for (int attempt = 1; ; attempt++) {
      if (availability.stopsReads()) {
        throw StoreUnavailable.failed().toException();
      }
      try (Connection connection = source.getConnection()) {
        running.add(connection);
        try {
          return query.list(connection, row);
        } finally {
          running.remove(connection);
        }
      } catch (SQLException e) {
        // After an outage the pool may still hold broken connections. Repeating a read on another
        // connection is safe.
        if (!SqlFault.isLostConnection(e) || attempt == MOST_BROKEN) {
          log(e);
          throw StoreUnavailable.failed().toException();
        }
      }
    }
  }

  /**
   * Runs a query although reads are refused, to see whether the outage has ended for them too: the
   * pool may find its way back later than other connections.
   */
  public void probe(Sql query) throws SQLException {
    for (int broken = 1; ; broken++) {
      try {
        List<Long> _ = attempt(query, row -> row.getLong(1));
        return;
      } catch (SQLException e) {
        if (!SqlFault.isLostConnection(e) || broken == MOST_BROKEN) {
          throw e;
        }
      }
    }
  }

  /** Returns the rows of a query on a database that may be damaged. */
  public <T> List<T> attempt(Sql query, Sql.Row<T> row) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return query.list(connection, row);
    }
  }

  /** Others report that the database cannot be reached; here only each minute's first error is. */
  private void log(SQLException fault) {
    if (!SqlFault.isConnecting(fault)) {
      LOG.error("a query failed", fault);
      return;
    }
    long last = logged.get();
    if (!availability.stopsReads()
        && System.nanoTime() - last >= LOG_EVERY_NANOS
        && logged.compareAndSet(last, System.nanoTime())) {
      LOG.warn("A query found no connection to the database: {}", SqlFault.shown(fault));
    }
  }

  /** Returns the rows of a query with these values, see {@link Sql#of(String, Object...)}. */
  public <T> List<T> list(String query, Sql.Row<T> row, @Nullable Object... values) {
    return list(Sql.of(query, values), row);
  }

  public <T> Optional<T> first(Sql query, Sql.Row<T> row) {
    return few(query, row).stream().findFirst();
  }

  public <T> Optional<T> first(String query, Sql.Row<T> row, @Nullable Object... values) {
    return first(Sql.of(query, values), row);
  }

  /** Returns the number in the first column of the only row. */
  public long number(Sql query) {
    return few(query, row -> row.getLong(1)).getFirst();
  }
}

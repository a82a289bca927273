package dev.safeconduct.ledger;

import dev.safeconduct.concurrent.Background;
import dev.safeconduct.db.SqlFault;
import dev.safeconduct.db.StoreUnavailable;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single writer thread. Requests that queue up during a commit form the next batch. Batches
 * therefore grow with the load, and a lone caller never waits for others.
 */
final class Writer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

  private static final int MAX_BATCH = 512;
  private static final int MAX_WAITING = 10_000;
  private static final int TRIES = 4;
  private static final int WAKE_HERE = 8;

  /** An entry evaluated this long ago still finds every charge that was live then. */
  static final long GRACE_MS = 60_000;

  private static final long SWEEP_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LAST_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Opens the writer's connection, again after a failure. */
  @FunctionalInterface
  interface Sessions {
    WriterSession open() throws SQLException;
  }

  private final WriteQueue inbox = new WriteQueue(MAX_WAITING);
  private final Sessions sessions;
  private final ChangeFeed feed;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final Background thread;

  private @Nullable WriterSession session;
  private long backoffNanos = FIRST_BACKOFF_NANOS;
  private long latestMs = Long.MIN_VALUE;
  private long nextSweep = System.nanoTime();
  private final LongAdder batches = new LongAdder();
  private final LongAdder written = new LongAdder();
  private volatile boolean down;
  private volatile boolean closing;
  private volatile boolean ended;

  Writer(WriterSession first, Sessions sessions, ChangeFeed feed, InstantSource clock) {
    this.session = first;
    this.sessions = sessions;
    this.feed = feed;
    this.clock = clock;
    this.thread = Background.named("store-writer", this::serve);
  }

  void start() {
    thread.start();
  }

  /** Returns the number of entries waiting to be written. */
  int waiting() {
    return inbox.size();
  }

  /** Returns the number of transactions written so far, and of the entries in them. */
  long batches() {
    return batches.sum();
  }

  long written() {
    return written.sum();
  }

  /** Returns whether the last database operation succeeded. */
  boolean healthy() {
    return !down && !closing && thread.isAlive();
  }

  Commit commit(LedgerEntry entry) {
    var ticket = new PendingWrite<Commit>();
    submit(new WriteRequest.Decision(entry, Commitment.to(entry.record(), random), ticket));
    return ticket.await();
  }

  boolean refund(Refund refund, AuditRecord entry) {
    var ticket = new PendingWrite<Boolean>();
    submit(
        new WriteRequest.GiveBack(
            refund, new LogEntry(entry, Commitment.to(entry, random)), ticket));
    return ticket.await();
  }

  <T> T change(Mutation<T> mutation) {
    var ticket = new PendingWrite<T>();
    submit(new WriteRequest.Change<>(mutation, ticket));
    return ticket.await();
  }

  private void submit(WriteRequest work) {
    if (closing) {
      throw StoreUnavailable.stopping().toException();
    }
    if (down) {
      throw StoreUnavailable.failed().toException();
    }
    if (!inbox.offer(work)) {
      throw StoreUnavailable.full().toException();
    }
    if (ended) {
      refuseWaiting(); // the thread may have ended before this was queued
    }
  }

  private void serve() {
    var batch = new ArrayList<WriteRequest>(MAX_BATCH);
    while (!closing || !inbox.isEmpty()) {
      inbox.take(batch, MAX_BATCH, session == null ? backoffNanos : SWEEP_EVERY_NANOS);
      if (session == null) {
        reconnect();
      }
      if (!batch.isEmpty()) {
        write(batch);
        batch.clear();
      }
      if (System.nanoTime() - nextSweep >= 0) {
        sweep();
        nextSweep = System.nanoTime() + SWEEP_EVERY_NANOS;
      }
    }
    ended = true;
    refuseWaiting();
    dropSession();
  }

  private void write(List<WriteRequest> batch) {
    try {
      writeWithRetries(batch);
    } catch (Throwable fault) { // even an Error must not leave callers waiting
      undo();
      if (session != null && batch.size() > 1 && SqlFault.mayBeOneEntrys(fault)) {
        LOG.warn("a batch failed; its entries are written one by one", fault);
        batch.forEach(work -> write(List.of(work)));
        return;
      }
      LOG.error("{} entries could not be written", batch.size(), fault);
      batch.forEach(work -> work.ticket().noteProblem(StoreUnavailable.failed()));
    }
    settle(batch);
    if (session == null) {
      reconnect(); // SQLite itself rolls back on a full disk and can recover
    }
  }

  /**
   * Waking a virtual thread is cheaper from another virtual thread, so this thread does less work.
   */
  private static void settle(List<WriteRequest> batch) {
    if (batch.size() <= WAKE_HERE) {
      batch.forEach(work -> work.ticket().settle());
    } else {
      WriteRequest[] settled = batch.toArray(WriteRequest[]::new);
      Thread.startVirtualThread(() -> {
        for (WriteRequest work : settled) {
          work.ticket().settle();
        }
      });
    }
  }

  private void writeWithRetries(List<WriteRequest> batch) throws SQLException {
    for (WriteRequest work : batch) {
      if (work instanceof WriteRequest.Decision(LedgerEntry entry, _, _)) {
        latestMs = Math.max(latestMs, entry.record().at().toEpochMilli());
      }
    }
    for (int attempt = 1; ; attempt++) {
      if (session == null) {
        throw new SQLException("there is no connection to the database", "08003");
      }
      try {
        Batch.run(session, feed, batch, random, horizonMs(), clock.millis());
        batches.increment();
        written.add(batch.size());
        return;
      } catch (SQLException e) {
        if (!SqlFault.isTransient(e) || attempt == TRIES) {
          throw e;
        }
        undo();
      }
    }
  }

  /** One of two clocks may be wrong; rows may be deleted only when both are past their expiry. */
  private long horizonMs() {
    return latestMs == Long.MIN_VALUE
        ? Long.MIN_VALUE
        : Math.min(latestMs, clock.millis()) - GRACE_MS;
  }

  private void undo() {
    try {
      if (session != null) {
        session.rollback();
      }
    } catch (SQLException | RuntimeException e) {
      LOG.warn("the connection to the database is lost: {}", e.getMessage());
      dropSession();
      down = true;
    }
  }

  private void reconnect() {
    try {
      session = sessions.open();
      backoffNanos = FIRST_BACKOFF_NANOS;
      down = false;
      LOG.info("the database is reached again");
    } catch (SQLException | RuntimeException e) {
      backoffNanos = Math.min(2 * backoffNanos, LAST_BACKOFF_NANOS);
      LOG.debug("the database is still not reached", e);
    }
  }

  private void sweep() {
    if (session == null) {
      return;
    }
    try {
      session.sweep(horizonMs());
      down = false;
    } catch (SQLException | RuntimeException e) {
      LOG.warn("expired rows could not be deleted: {}", e.getMessage());
      down = true;
      undo();
    }
  }

  private void dropSession() {
    try {
      if (session != null) {
        session.close();
      }
    } catch (SQLException | RuntimeException e) {
      LOG.debug("closing the writer's connection failed", e);
    }
    session = null;
  }

  private void refuseWaiting() {
    var waiting = new ArrayList<WriteRequest>();
    synchronized (inbox) {
      inbox.take(waiting, Integer.MAX_VALUE, 1);
    }
    for (WriteRequest work : waiting) {
      work.ticket().noteProblem(StoreUnavailable.stopping());
      work.ticket().settle();
    }
  }

  /** Writes the queued work, then ends. */
  @Override
  public void close() {
    closing = true;
    inbox.wake();
    thread.awaitEnd();
  }
}

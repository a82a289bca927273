package dev.safeconduct.ledger;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.Availability;
import dev.safeconduct.db.SqlFault;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.Problem;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
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

  /** A transaction that takes longer waits for a database that hangs. */
  static final long STUCK_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  private static final long WATCH_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long a stop waits for the database. */
  private static final Duration CLOSING = Duration.ofSeconds(2);

  private static final Duration SWEEP_EVERY = Duration.ofSeconds(1);

  /** After a failure to delete, only one sweep of these is tried. */
  private static final int SWEEP_AGAIN = 3;

  private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LAST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** As much as a batch of ordinary decisions takes. */
  private static final int PROBE_BYTES = 256 << 10;

  /** Opens the writer's connection, again after a failure; elsewhere, if it failed twice. */
  @FunctionalInterface
  interface Sessions {
    WriterSession open(boolean elsewhere) throws SQLException;
  }

  private final WriteQueue inbox = new WriteQueue(MAX_WAITING);
  private final Sessions sessions;
  private final ChangeFeed feed;
  private final SeenLog seen;
  private final Availability availability;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final ExpiryHorizon horizon;
  private final Background thread;
  private final Background watch;

  private volatile @Nullable WriterSession session;
  private long backoffNanos = FIRST_BACKOFF_NANOS;
  private long latestMs = Long.MIN_VALUE;
  private long nextSweep = System.nanoTime();
  private boolean elsewhere;
  private boolean sweepFails;
  private int passed;
  private final LongAdder batches = new LongAdder();
  private final LongAdder written = new LongAdder();
  private final LongAdder commitNanos = new LongAdder();

  /** When the current transaction began; 0 when there is none. */
  private volatile long busySince;

  private volatile boolean closing;
  private volatile boolean ended;

  Writer(
      Sessions sessions,
      ChangeFeed feed,
      SeenLog seen,
      Availability availability,
      ExpiryHorizon horizon,
      InstantSource clock)
      throws SQLException {
    this.session = sessions.open(false);
    this.sessions = sessions;
    this.feed = feed;
    this.seen = seen;
    this.availability = availability;
    this.horizon = horizon;
    this.clock = clock;
    this.thread = Background.named("store-writer", this::serve);
    this.watch = Background.named("store-watch", this::watch);
  }

  void start() {
    thread.start();
    watch.start();
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

  /** Returns the time that those transactions took. */
  long commitNanos() {
    return commitNanos.sum();
  }

  /** Returns whether records can be written, as far as is known. */
  boolean healthy() {
    return !availability.stopsWrites()
        && !isStuck()
        && !closing
        && thread.isAlive()
        && watch.isAlive();
  }

  private boolean isStuck() {
    long since = busySince;
    return since != 0 && System.nanoTime() - since > STUCK_NANOS;
  }

  Commit commit(LedgerEntry entry) {
    var ticket = new PendingWrite<Commit>();
    return submit(
        new WriteRequest.Decision(entry, Commitment.to(entry.record(), random), ticket), ticket);
  }

  boolean refund(Refund refund, AuditRecord entry) {
    var ticket = new PendingWrite<Boolean>();
    var logged = new LogEntry(entry, Commitment.to(entry, random));
    return submit(new WriteRequest.GiveBack(refund, logged, ticket), ticket);
  }

  <T> T change(Mutation<T> mutation) {
    var ticket = new PendingWrite<T>();
    return submit(new WriteRequest.Change<>(mutation, ticket), ticket);
  }

  private <T> T submit(WriteRequest work, PendingWrite<T> ticket) {
    Problem refusal = refusal();
    if (refusal != null) {
      throw refusal.toException();
    }
    if (!inbox.offer(work)) {
      throw StoreUnavailable.full().toException();
    }
    if (ended) {
      refuseWaiting(StoreUnavailable.stopping()); // the thread may have ended before the offer
    }
    return ticket.await();
  }

  /** Refuses what waits too long for a database that hangs. One timer for all is the cheapest. */
  private void watch() {
    while (!ended) {
      LockSupport.parkNanos(this, WATCH_EVERY_NANOS);
      try {
        boolean stuck = isStuck();
        for (PendingWrite<?> ticket : inbox.tickets()) {
          if (ticket.isOverdue()) {
            ticket.refuse(StoreUnavailable.late());
          } else if (stuck && ticket.hasWaited(STUCK_NANOS)) {
            ticket.refuse(StoreUnavailable.failed());
          }
        }
      } catch (Throwable e) { // even an Error must not leave callers waiting
        LOG.warn("the watch of waiting writes failed; it goes on", e);
      }
    }
  }

  private @Nullable Problem refusal() {
    if (closing) {
      return StoreUnavailable.stopping();
    }
    Problem blocked = blocked();
    return blocked == null && (availability.stopsReads() || isStuck())
        ? StoreUnavailable.failed()
        : blocked;
  }

  private void serve() {
    var batch = new ArrayList<WriteRequest>(MAX_BATCH);
    while (!closing || !inbox.isEmpty()) {
      inbox.take(batch, MAX_BATCH, blocked() != null ? backoffNanos : SWEEP_EVERY.toNanos());
      batch.removeIf(work -> !take(work));
      if (!batch.isEmpty()) {
        busySince = System.nanoTime();
        write(batch);
        busySince = 0;
        batch.clear();
      }
      Problem blocked = blocked();
      if (blocked != null) {
        refuseWaiting(blocked);
        if (!closing) {
          recover();
        }
      } else if (System.nanoTime() - nextSweep >= 0) {
        sweep();
      }
    }
    ended = true;
    refuseWaiting(StoreUnavailable.stopping());
    seen.save();
    dropSession();
  }

  private @Nullable Problem blocked() {
    return seen.isRefused()
        ? StoreUnavailable.otherLog()
        : availability.stopsWrites() ? StoreUnavailable.failed() : null;
  }

  /** Takes the work, unless its caller has given up or it must be refused. */
  private boolean take(WriteRequest work) {
    PendingWrite<?> ticket = work.ticket();
    if (!ticket.take()) {
      return false;
    }
    Problem problem = ticket.isOverdue() ? StoreUnavailable.late() : blocked();
    if (problem != null) {
      ticket.noteProblem(problem);
      ticket.settle();
    }
    return problem == null;
  }

  private void write(List<WriteRequest> batch) {
    try {
      writeWithRetries(batch);
      backoffNanos = FIRST_BACKOFF_NANOS;
    } catch (Throwable fault) { // even an Error must not leave callers waiting
      boolean isConnected = undo();
      Problem problem = StoreUnavailable.failed();
      if (seen.isRefused()) {
        problem = StoreUnavailable.otherLog();
      } else if (!isConnected || !SqlFault.mayBeOneEntrys(fault)) {
        availability.begin(Availability.Part.WRITER, fault);
      } else if (batch.size() > 1) {
        LOG.warn("a batch failed; its entries are written one by one", fault);
        batch.forEach(this::writeAlone);
        return;
      } else {
        LOG.error("an entry could not be written", fault);
      }
      for (WriteRequest work : batch) {
        work.ticket().noteProblem(problem);
      }
    }
    settle(batch);
  }

  /** Refuses the entry when the database failed at an earlier one: it would wait for each. */
  private void writeAlone(WriteRequest work) {
    Problem problem = blocked();
    if (problem == null) {
      write(List.of(work));
    } else {
      work.ticket().noteProblem(problem);
      work.ticket().settle();
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
      WriterSession open = session;
      if (open == null && writes()) { // the log was refused until just now
        open = session;
      }
      if (open == null) {
        throw new SQLException("there is no connection to the database", "08003");
      }
      try {
        long began = System.nanoTime();
        Batch.run(open, feed, batch, random, horizon.ms(latestMs), clock.millis());
        commitNanos.add(System.nanoTime() - began);
        batches.increment();
        written.add(batch.size());
        return;
      } catch (SQLException e) {
        if (!SqlFault.isTransient(e) || attempt == TRIES) {
          throw e;
        }
        boolean _ = undo();
      }
    }
  }

  /** Rolls back; returns false when the connection is lost. */
  private boolean undo() {
    WriterSession open = session;
    try {
      if (open != null) {
        open.rollback();
        return true;
      }
    } catch (SQLException | RuntimeException e) {
      LOG.debug("the transaction could not be rolled back", e);
      dropSession();
    }
    return false;
  }

  /** Connects again, and ends an outage once a transaction like a decision's was written. */
  private void recover() {
    backoffNanos = Math.min(2 * backoffNanos, LAST_BACKOFF_NANOS);
    if (writes()) {
      availability.end(Availability.Part.WRITER);
    }
  }

  /** Returns whether a transaction like a decision's could be written. */
  private boolean writes() {
    try {
      WriterSession open = session;
      if (open == null) {
        open = sessions.open(elsewhere);
        session = open;
      }
      if (open.check(seen)) {
        open.probe(PROBE_BYTES);
        elsewhere = false;
        return true;
      }
    } catch (Throwable e) { // even an Error must not end the writer
      LOG.debug("the database still cannot be written", e);
    }
    dropSession(); // another host may have the log, and may be writable
    elsewhere = true;
    return false;
  }

  private void sweep() {
    nextSweep = System.nanoTime() + SWEEP_EVERY.toNanos();
    horizon.advance(SWEEP_EVERY.toMillis(), clock.millis());
    seen.saveBeside();
    WriterSession open = session;
    busySince = System.nanoTime();
    try {
      if (open != null && (!sweepFails || ++passed % SWEEP_AGAIN == 0)) {
        open.sweep(horizon.ms(latestMs));
        if (sweepFails) {
          LOG.info("Expired rows are deleted again.");
        }
        sweepFails = false;
      }
    } catch (Throwable e) { // even an Error must not end the writer
      boolean _ = undo();
      if (!SqlFault.isSilence(e) && writes()) { // rows that cannot be deleted stop no decision
        if (!sweepFails) {
          sweepFails = true;
          LOG.warn("Expired rows cannot be deleted; decisions are recorded.", e);
        }
      } else if (!seen.isRefused()) {
        availability.begin(Availability.Part.WRITER, e);
      }
    } finally {
      busySince = 0;
    }
  }

  private void dropSession() {
    WriterSession open = session;
    session = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (SQLException | RuntimeException e) {
      LOG.debug("closing the writer's connection failed", e);
    }
  }

  private void refuseWaiting(Problem problem) {
    var waiting = new ArrayList<WriteRequest>();
    synchronized (inbox) {
      inbox.take(waiting, Integer.MAX_VALUE, 1);
    }
    for (WriteRequest work : waiting) {
      work.ticket().refuse(problem);
    }
  }

  /** Writes the queued work, then ends; what the database does not answer in time is refused. */
  @Override
  public void close() {
    closing = true;
    inbox.wake();
    WriterSession open = session;
    if (open != null && !thread.awaitEnd(CLOSING)) {
      open.abort();
    }
    thread.awaitEnd(); // not while it waits for a new connection
    refuseWaiting(StoreUnavailable.stopping());
    watch.wake();
  }
}

package dev.safeconduct.verify.token;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The latest changes that this node has received, for readers that wait for the next change. */
final class RecentChanges {
  private static final int KEPT = 10_000;

  private final Reads reads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final ArrayDeque<Change> recent = new ArrayDeque<>();

  /** The last change that is not in {@link #recent}. */
  private long before = Long.MAX_VALUE;

  private long last;
  private boolean closed;

  RecentChanges(ChangeFeed feed, Reads reads) {
    this.reads = reads;
    feed.listen(this::add);
    lock.lock();
    try {
      before = recent.isEmpty() ? feed.sequence() : recent.getFirst().sequence() - 1;
      last = recent.isEmpty() ? before : recent.getLast().sequence();
    } finally {
      lock.unlock();
    }
  }

  /** Adds a change. The store's threads call it, so it must be fast and do no I/O. */
  private void add(Change change) {
    lock.lock();
    try {
      if (!recent.isEmpty() && change.sequence() > recent.getLast().sequence() + 1) {
        recent.clear(); // those between were deleted before this node saw them
        before = change.sequence() - 1;
      }
      recent.addLast(change);
      last = change.sequence();
      if (recent.size() > KEPT) {
        before = recent.removeFirst().sequence();
      }
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the last change that this node has received. */
  long last() {
    lock.lock();
    try {
      return last;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits, now and later. */
  void close() {
    lock.lock();
    try {
      closed = true;
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the changes after the cursor, oldest first, and waits for the first. The list is empty
   * after a timeout. There is no list if changes after the cursor are no longer known.
   */
  Optional<List<Change>> after(long cursor, int limit, Duration wait) throws InterruptedException {
    lock.lock();
    try {
      long left = wait.toNanos();
      while (cursor >= last && !closed && left > 0) {
        left = more.awaitNanos(left);
      }
      if (cursor > last) {
        return Optional.empty(); // from another history than this one
      }
      if (cursor >= before) {
        var found = new ArrayList<Change>();
        Iterator<Change> each = recent.iterator();
        while (each.hasNext() && found.size() < limit) {
          Change change = each.next();
          if (change.sequence() > cursor) {
            found.add(change);
          }
        }
        return Optional.of(found);
      }
    } finally {
      lock.unlock();
    }
    List<Change> found =
        reads.few(
            Sql.of(
                """
                SELECT sequence, subject FROM change
                 WHERE sequence > :sequence
                 ORDER BY sequence
                 LIMIT :limit
                """,
                cursor,
                limit),
            row -> new Change(row.getLong("sequence"), row.getString("subject")));
    return found.isEmpty() || found.getFirst().sequence() > cursor + 1
        ? Optional.empty()
        : Optional.of(found);
  }
}

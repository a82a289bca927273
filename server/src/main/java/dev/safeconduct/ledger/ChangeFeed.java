package dev.safeconduct.ledger;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies this node of changes and remembers the most recent ones. When {@link #sequence} returns
 * n, every listener has been notified of all changes up to n. Facts cached after reading n are
 * therefore at least that fresh.
 */
public final class ChangeFeed {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeFeed.class);

  /** Read sets older than this many changed subjects count as outdated. */
  static final int REMEMBERED = 10_000;

  /** Receives the records of a transaction of this node, in the writer's thread. */
  @FunctionalInterface
  public interface Appends {
    void appended(long firstIndex, List<LogEntry> entries);
  }

  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
  private final List<Appends> appends = new CopyOnWriteArrayList<>();
  // Each subject with its last change, in order of that change, the oldest first.
  private final Map<String, Long> latest = new LinkedHashMap<>();
  private long forgotten;
  private volatile long sequence;

  public ChangeFeed(long start) {
    forgotten = start;
    sequence = start;
  }

  /** The last change that all listeners of this node have been notified of. */
  public long sequence() {
    return sequence;
  }

  /** Calls the listener for every later change, before {@link #sequence} moves past it. */
  public void listen(Consumer<Change> listener) {
    listeners.add(listener);
  }

  /**
   * Calls the listener for later records, in the order of the log. It misses those of other nodes,
   * and those of a commit whose outcome is unknown.
   */
  public void listenToAppends(Appends listener) {
    appends.add(listener);
  }

  /** Notifies of a committed transaction's records. */
  void appended(long firstIndex, List<LogEntry> entries) {
    for (Appends listener : appends) {
      try {
        listener.appended(firstIndex, entries);
      } catch (RuntimeException e) {
        LOG.error("a listener failed on the records from {}", firstIndex, e);
      }
    }
  }

  /** Accepts committed changes, in order; skips those already known. */
  synchronized void apply(List<Change> changes) {
    for (Change change : changes) {
      if (change.sequence() > sequence) {
        remember(change);
        for (Consumer<Change> listener : listeners) {
          tell(listener, change);
        }
        sequence = change.sequence();
      }
    }
  }

  /** Returns whether a subject of the read set has changed after it, or may have. */
  boolean outdates(ReadSet fence) {
    return fence.sequence() < sequence && changedSince(fence);
  }

  private synchronized boolean changedSince(ReadSet fence) {
    if (fence.sequence() < forgotten) {
      return true;
    }
    for (String subject : fence.subjects()) {
      Long changed = latest.get(subject);
      if (changed != null && changed > fence.sequence()) {
        return true;
      }
    }
    return false;
  }

  private void remember(Change change) {
    if (change.sequence() > sequence + 1) {
      forgotten = change.sequence() - 1; // earlier ones were deleted unseen
    }
    latest.remove(change.subject());
    latest.put(change.subject(), change.sequence());
    if (latest.size() > REMEMBERED) {
      Iterator<Long> oldest = latest.values().iterator();
      forgotten = oldest.next();
      oldest.remove();
    }
  }

  private static void tell(Consumer<Change> listener, Change change) {
    try {
      listener.accept(change);
    } catch (RuntimeException e) {
      // The other listeners must still be notified. The read set detects a stale cache.
      LOG.error("a listener failed on the change of {}", change.subject(), e);
    }
  }
}

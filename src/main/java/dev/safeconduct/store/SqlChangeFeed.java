package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.usage.Fence;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this node knows of the changes: it tells the listeners, and remembers the latest few. */
final class SqlChangeFeed implements ChangeFeed {
  private static final Logger LOG = LoggerFactory.getLogger(SqlChangeFeed.class);

  /** Fences older than this many changed subjects are taken for outdated. */
  static final int REMEMBERED = 10_000;

  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
  // Each subject with its last change, the longest unchanged first.
  private final Map<String, Long> latest = new LinkedHashMap<>();
  private long forgotten;
  private volatile long sequence;

  SqlChangeFeed(long start) {
    forgotten = start;
    sequence = start;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  @Override
  public void listen(Consumer<Change> listener) {
    listeners.add(listener);
  }

  /** Takes in committed changes, in order; those it knows already are passed over. */
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

  /** Whether a subject of the fence has changed after it, or may have. */
  boolean outdates(Fence fence) {
    return fence.sequence() < sequence && changedSince(fence);
  }

  private synchronized boolean changedSince(Fence fence) {
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
      forgotten = change.sequence() - 1; // those between were deleted before this node saw them
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
      // The others must hear of it all the same; a stale cache is caught by the fence.
      LOG.error("a listener failed on the change of {}", change.subject(), e);
    }
  }
}

package dev.safeconduct.console;

import dev.safeconduct.access.StreamShares;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.ledger.StoredRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends new decisions to viewers. It reads the log outside the path of decisions, and only while
 * there are viewers. It reads each source once for all of its viewers, and of the log only what has
 * come since the last time. Under high load it shows the newest decisions only. A viewer that reads
 * too slowly is disconnected, and the browser reconnects by itself.
 */
final class LiveDecisions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LiveDecisions.class);
  private static final int AT_ONCE = 10;
  private static final int MOST_WAITING = 16;
  private static final int MOST_OF_ACCOUNT = 200;

  /** The maximum sources of one account: each is read by itself. */
  static final int MOST_SOURCES = 20;

  private static final long TICK_MS = 400;

  /**
   * The ticks to skip after one with more decisions than are shown, so that people can read them.
   */
  private static final int REST = 2;

  private final AuditLog log;
  private final BiFunction<OrgId, List<StoredRecord>, String> render;
  private final Map<Source, Watched> watched = new ConcurrentHashMap<>();
  private final StreamShares shares = new StreamShares(MOST_OF_ACCOUNT);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Object arrival = new Object();
  private final Thread thread;

  /**
   * @param render renders new decisions for viewers, the newest first
   */
  LiveDecisions(
      AuditLog log, ChangeFeed changes, BiFunction<OrgId, List<StoredRecord>, String> render) {
    this.log = log;
    this.render = render;
    this.thread = Thread.ofVirtual().name("live-decisions").unstarted(this::work);
    changes.listen(this::changed);
  }

  void start() {
    thread.start();
  }

  /** What a viewer sees: the decisions of an organization that the filter accepts. */
  record Source(OrgId org, AuditFilter filter) {}

  /** The decisions that were sent to one source's viewers. */
  private static final class Watched {
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private long last;
    private int rest;

    private boolean isWatchedBy(Caller caller) {
      return viewers.stream().anyMatch(viewer -> viewer.caller.name().equals(caller.name()));
    }
  }

  /**
   * New decisions for one viewer.
   *
   * @param id the newest decision's place in the log
   */
  record News(long id, String html) {}

  /** A viewer. */
  final class Viewer implements AutoCloseable {
    private final Source source;
    private final Caller caller;
    private final BlockingQueue<News> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private volatile boolean gone;

    private Viewer(Source source, Caller caller) {
      this.source = source;
      this.caller = caller;
    }

    /** Returns the next news; empty after a timeout, or when the stream has ended. */
    Optional<News> next(long seconds) throws InterruptedException {
      return Optional.ofNullable(waiting.poll(seconds, TimeUnit.SECONDS))
          .filter(news -> !news.html().isEmpty());
    }

    /** Returns whether more news may follow. */
    boolean isThere() {
      return !gone;
    }

    private void give(News news) {
      if (!waiting.offer(news)) {
        drop();
      }
    }

    private void drop() {
      gone = true;
      waiting.clear();
      waiting.offer(new News(0, "")); // wakes the one who waits
    }

    private boolean rests(String subject) {
      return switch (caller) {
        case Caller.Person person -> rests(person, subject);
        case Caller.Admin(Optional<Caller.Person> person, _) ->
            person.filter(p -> rests(p, subject)).isPresent();
        default -> false;
      };
    }

    private static boolean rests(Caller.Person person, String subject) {
      return subject.equals(Change.session(person.sessionId()))
          || subject.equals(Change.account(person.accountId()));
    }

    @Override
    public void close() {
      gone = true;
      Watched of = watched.get(source);
      if (of != null && of.viewers.remove(this)) {
        shares.close(source.org(), caller);
        watched.computeIfPresent(source, (_, w) -> w.viewers.isEmpty() ? null : w);
      }
    }
  }

  /** Returns why the caller cannot have another view now; empty if it can. */
  Optional<Problem> refusal(Source source, Caller caller) {
    if (closed.getCount() == 0) {
      return Optional.of(new Problem.Unavailable("This node is stopping.", 1));
    }
    return hasMany(source, caller)
        ? Optional.of(
            new Problem.RateLimited(
                "This account has " + MOST_SOURCES + " live lists with different filters open.",
                1,
                Optional.empty()))
        : shares.refusal(source.org(), caller);
  }

  private boolean hasMany(Source source, Caller caller) {
    long others =
        watched.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(source))
            .filter(entry -> entry.getValue().isWatchedBy(caller))
            .count();
    return others >= MOST_SOURCES;
  }

  /**
   * Adds a viewer.
   *
   * @param after the last decision that the viewer has received; later ones are sent first
   * @return empty when there are too many viewers
   */
  Optional<Viewer> watch(Source source, Caller caller, Optional<Long> after) {
    long end = end(source.org());
    Optional<News> missed = after.flatMap(seen -> news(source, later(source, seen)));
    var viewer = new Viewer(source, caller);
    synchronized (arrival) {
      if (closed.getCount() == 0 || hasMany(source, caller) || !shares.open(source.org(), caller)) {
        return Optional.empty();
      }
      missed.ifPresent(viewer::give);
      watched.compute(
          source,
          (_, known) -> {
            Watched of = known == null ? new Watched() : known;
            if (known == null) {
              of.last = Math.max(end, missed.map(News::id).orElse(-1L));
            }
            of.viewers.add(viewer);
            return of;
          });
      arrival.notifyAll();
    }
    return Optional.of(viewer);
  }

  /** Returns the position of the organization's newest record; -1 if it has none. */
  private long end(OrgId org) {
    return log.list(new Tenant.One(org), AuditFilter.ALL, Long.MAX_VALUE, 1).stream()
        .findFirst()
        .map(StoredRecord::logIndex)
        .orElse(-1L);
  }

  private List<StoredRecord> later(Source source, long seen) {
    return log.later(source.org(), source.filter(), seen, AT_ONCE);
  }

  private Optional<News> news(Source source, List<StoredRecord> records) {
    return records.isEmpty()
        ? Optional.empty()
        : Optional.of(new News(records.getFirst().logIndex(), render.apply(source.org(), records)));
  }

  private void work() {
    try {
      while (!closed.await(TICK_MS, TimeUnit.MILLISECONDS)) {
        synchronized (arrival) {
          while (watched.isEmpty() && closed.getCount() > 0) {
            arrival.wait();
          }
        }
        look();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() {
    try {
      long indexed = log.indexed();
      watched.forEach((source, of) -> look(source, of, indexed));
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  /**
   * Sends a source's new decisions.
   *
   * @param indexed a position that was read before: the records up to it need no second look
   */
  private void look(Source source, Watched of, long indexed) {
    if (of.rest > 0) {
      of.rest--;
      return;
    }
    try {
      List<StoredRecord> records = later(source, of.last);
      of.rest = records.size() == AT_ONCE ? REST : 0;
      if (records.isEmpty()) {
        of.last = Math.max(of.last, indexed);
      } else {
        of.last = records.getFirst().logIndex();
        news(source, records).ifPresent(news -> of.viewers.forEach(viewer -> viewer.give(news)));
      }
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  private static void failed(RuntimeException e) {
    LOG.atLevel(StoreUnavailable.level(e))
        .log("new decisions could not be shown: {}", e.getMessage());
  }

  /** Ends the streams of a session that has ended. */
  private void changed(Change change) {
    if (change.subject().startsWith("session:") || change.subject().startsWith("account:")) {
      for (Watched of : watched.values()) {
        for (Viewer viewer : of.viewers) {
          if (viewer.rests(change.subject())) {
            viewer.drop();
          }
        }
      }
    }
  }

  /** Disconnects all viewers, so that the server can stop. */
  @Override
  public void close() {
    closed.countDown();
    synchronized (arrival) {
      arrival.notifyAll();
    }
    watched.values().forEach(of -> of.viewers.forEach(Viewer::drop));
  }
}

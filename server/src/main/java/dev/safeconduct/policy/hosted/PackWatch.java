package dev.safeconduct.policy.hosted;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.policy.PolicyId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads changed packs at once, without waiting for a request, and reports to other nodes which
 * versions this one evaluates. Runs on its own thread, so no request waits for it.
 */
public final class PackWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PackWatch.class);

  /** The time after which a node that was not seen is considered dead. */
  public static final Duration ALIVE = Duration.ofSeconds(30);

  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration BEAT = Duration.ofSeconds(5);
  private static final Duration REMEMBERED = Duration.ofDays(7);
  private static final int MOST_AT_ONCE = 500;
  private static final int MOST_WAITING = 20_000;

  private final String node;
  private final HostedPacks packs;
  private final PackCache shelf;
  private final PackNodes nodes;
  private final InstantSource clock;
  private final Instant startedAt;
  private final Thread thread;

  /** Organizations whose packs have changed, and packs whose use must be reported. */
  private final Set<String> changed = new LinkedHashSet<>();

  private final Map<List<String>, PackNodes.Use> read = new LinkedHashMap<>();
  private volatile boolean closing;

  /**
   * For the watch thread only: the last known change of each organization, and the reported uses.
   */
  private final Map<String, Long> followed = new HashMap<>();

  private final Cache<List<String>, String> reported =
      Caffeine.newBuilder().maximumSize(MOST_WAITING).build();

  /** Creates the watch; {@code node} is this process's unique name. */
  public PackWatch(
      String node,
      HostedPacks packs,
      PackCache shelf,
      PackNodes nodes,
      ChangeFeed changes,
      InstantSource clock) {
    this.node = node;
    this.packs = packs;
    this.shelf = shelf;
    this.nodes = nodes;
    this.clock = clock;
    this.startedAt = clock.instant();
    this.thread = Thread.ofPlatform().name("pack-watch").daemon().unstarted(this::watch);
    shelf.onRead(this::noteRead);
    changes.listen(change -> {
      if (change.subject().startsWith(Change.PACKS)) {
        noteChange(change.subject().substring(Change.PACKS.length()));
      }
    });
  }

  /** Returns this process's name among the nodes that share the database. */
  public String node() {
    return node;
  }

  /** Reports that this node is alive, then starts to watch. */
  public void start() {
    nodes.alive(node, startedAt, startedAt);
    thread.start();
  }

  private synchronized void noteChange(String org) {
    changed.add(org);
    LockSupport.unpark(thread);
  }

  private synchronized void noteRead(PackCache.CachedPack shelved) {
    if (read.size() < MOST_WAITING) {
      PolicyId id = shelved.pack().id();
      read.put(
          List.of(shelved.org().value(), id.value()),
          new PackNodes.Use(
              shelved.org(), id, shelved.faults().isEmpty() ? shelved.pack().digest() : ""));
      LockSupport.unpark(thread);
    }
  }

  private void watch() {
    Instant nextBeat = startedAt.plus(BEAT);
    while (!closing) {
      try {
        takeChanged().forEach(this::takeUp);
        report();
        if (!clock.instant().isBefore(nextBeat)) {
          nextBeat = clock.instant().plus(BEAT);
          nodes.alive(node, startedAt, clock.instant());
          nodes.forget(clock.instant().minus(REMEMBERED));
        }
        if (isIdle()) {
          LockSupport.parkNanos(this, Duration.between(clock.instant(), nextBeat).toNanos());
        }
      } catch (ProblemException e) {
        LOG.atLevel(StoreUnavailable.level(e))
            .log("the packs this node uses could not be recorded: {}", e.getMessage());
        LockSupport.parkNanos(this, AGAIN.toNanos());
      } catch (RuntimeException e) {
        LOG.error("packs could not be taken up", e);
        LockSupport.parkNanos(this, AGAIN.toNanos());
      }
    }
  }

  private synchronized List<String> takeChanged() {
    List<String> orgs = List.copyOf(changed);
    changed.clear();
    return orgs;
  }

  private synchronized boolean isIdle() {
    return changed.isEmpty() && read.isEmpty() && !closing;
  }

  /** Reads the organization's packs that have changed since the last read. */
  private void takeUp(String text) {
    OrgId org = new OrgId(text);
    long after = followed.getOrDefault(text, 0L);
    long newest = after;
    for (HostedPacks.Changed pack : packs.changedAfter(org, after, MOST_AT_ONCE)) {
      shelf.find(org, pack.id().value());
      newest = Math.max(newest, pack.number());
    }
    followed.put(text, newest);
  }

  private void report() {
    while (true) {
      var uses = new ArrayList<PackNodes.Use>();
      synchronized (this) {
        var waiting = read.entrySet().iterator();
        while (waiting.hasNext() && uses.size() < MOST_AT_ONCE) {
          var next = waiting.next();
          if (!next.getValue().digest().equals(reported.getIfPresent(next.getKey()))) {
            uses.add(next.getValue());
          }
          waiting.remove();
        }
      }
      if (uses.isEmpty()) {
        return;
      }
      try {
        nodes.uses(node, uses, clock.instant());
      } catch (ProblemException e) {
        unreported(uses);
        throw e;
      }
      for (PackNodes.Use use : uses) {
        reported.put(List.of(use.org().value(), use.id().value()), use.digest());
      }
    }
  }

  private synchronized void unreported(List<PackNodes.Use> uses) {
    uses.forEach(use -> read.putIfAbsent(List.of(use.org().value(), use.id().value()), use));
  }

  /** Stops watching and reports that this node has stopped. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(500); // a database that hangs must not delay the stop
      nodes.stopped(node, clock.instant());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ProblemException e) {
      LOG.debug("the stop could not be noted", e);
    }
  }
}

package dev.safeconduct.tally;

import dev.safeconduct.background.Background;
import dev.safeconduct.identity.OrgId;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes through the log by its index, adds up decisions and notes what occurs where. It reads what
 * is durable and writes now and then, so deciding does not wait for it; what several nodes do at
 * once is counted once.
 */
public final class CountDecisions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CountDecisions.class);
  private static final long EVERY_SECONDS = 5;

  /** Places read at once. */
  private static final int STRIDE = 2_000;

  /** A transaction with more rows than this would be felt by those who wait behind it. */
  private static final int MOST_ROWS = 2_000;

  private static final int MOST_STRIDES = 20;

  /** How long a page may wait for the step under way. */
  private static final long MOST_WAIT_MS = 50;

  private static final long KEEP_MS = TimeUnit.DAYS.toMillis(2);

  private final Tallies tallies;
  private final InstantSource clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ReentrantLock stepping = new ReentrantLock();
  private final Background thread;
  private final Set<OrgId> tidied = new HashSet<>();
  private long tidyHour;

  public CountDecisions(Tallies tallies, InstantSource clock) {
    this.tallies = tallies;
    this.clock = clock;
    this.thread = Background.named("count-decisions", this::work);
  }

  public void start() {
    thread.start();
  }

  /**
   * Counts what has not been counted, a bounded part of it at a time.
   *
   * @return whether all of the log is counted now
   */
  public boolean step() {
    stepping.lock();
    try {
      return step(MOST_STRIDES);
    } finally {
      stepping.unlock();
    }
  }

  /**
   * Counts the latest for somebody who waits for a page: no more of it than takes a moment, and not
   * when the step under way takes longer than that.
   */
  public void freshen() {
    try {
      if (stepping.tryLock(MOST_WAIT_MS, TimeUnit.MILLISECONDS)) {
        try {
          step(1);
        } finally {
          stepping.unlock();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean step(int strides) {
    long from = tallies.next();
    long end = tallies.end();
    long to = from;
    var counts = new HashMap<Tallies.Key, Tallies.Counts>();
    var occurrences = new HashSet<Tallies.Occurrence>();
    var orgs = new HashSet<OrgId>();
    for (int i = 0;
        i < strides && to < end && counts.size() + occurrences.size() < MOST_ROWS;
        i++) {
      long next = Math.min(end, to + STRIDE);
      for (Tallies.Alike seen : tallies.records(to, next)) {
        note(seen, occurrences);
        if (seen.allow().isPresent() && !seen.dryRun()) {
          add(seen, seen.allow().get(), counts);
          orgs.add(seen.org());
        }
      }
      to = next;
    }
    if (to > from) {
      tallies.add(from, to, counts, occurrences);
      tidy(orgs);
    }
    return to >= end;
  }

  private static void note(Tallies.Alike seen, Set<Tallies.Occurrence> occurrences) {
    occur(seen, Tallies.Facet.KIND, seen.kind(), occurrences);
    occur(seen, Tallies.Facet.MINUTE, Tallies.Facet.minute(seen.minuteMs()), occurrences);
    seen.agent().ifPresent(agent -> occur(seen, Tallies.Facet.AGENT, agent, occurrences));
    seen.policy().ifPresent(policy -> occur(seen, Tallies.Facet.POLICY, policy, occurrences));
    seen.code().ifPresent(code -> occur(seen, Tallies.Facet.CODE, code, occurrences));
    seen.allow()
        .ifPresent(allow -> occur(seen, Tallies.Facet.ALLOW, Boolean.toString(allow), occurrences));
  }

  private static void occur(
      Tallies.Alike seen, Tallies.Facet facet, String name, Set<Tallies.Occurrence> occurrences) {
    occurrences.add(new Tallies.Occurrence(seen.org(), facet, name, seen.part()));
  }

  private static void add(
      Tallies.Alike seen, boolean allow, Map<Tallies.Key, Tallies.Counts> counts) {
    count(seen, allow, Tallies.Kind.MINUTE, "", counts);
    count(seen, allow, Tallies.Kind.CODE, seen.code().orElse(""), counts);
    seen.agent().ifPresent(agent -> count(seen, allow, Tallies.Kind.AGENT, agent, counts));
  }

  private static void count(
      Tallies.Alike seen,
      boolean allow,
      Tallies.Kind kind,
      String name,
      Map<Tallies.Key, Tallies.Counts> counts) {
    for (long bucket : kind.buckets(seen.minuteMs())) {
      counts.merge(
          new Tallies.Key(seen.org(), kind, bucket, name),
          new Tallies.Counts(allow ? seen.number() : 0, allow ? 0 : seen.number()),
          Tallies.Counts::plus);
    }
  }

  /** Once an hour for each organization that has new counts. */
  private void tidy(Set<OrgId> orgs) {
    long now = clock.millis();
    long hour = TimeUnit.MILLISECONDS.toHours(now);
    if (hour != tidyHour) {
      tidied.clear();
      tidyHour = hour;
    }
    for (OrgId org : orgs) {
      if (tidied.add(org)) {
        for (Tallies.Kind kind : Tallies.Kind.values()) {
          tallies.forget(org, kind, now - KEEP_MS);
        }
      }
    }
  }

  private void work() {
    try {
      do {
        try {
          while (closed.getCount() > 0 && !step()) {
            // The log is longer than a step; the next one goes on at once.
          }
        } catch (RuntimeException e) {
          LOG.warn("decisions could not be counted: {}", e.getMessage());
        }
      } while (!closed.await(EVERY_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends after the step under way. */
  @Override
  public void close() {
    closed.countDown();
    thread.awaitEnd();
  }
}

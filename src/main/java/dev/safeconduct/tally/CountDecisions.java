package dev.safeconduct.tally;

import dev.safeconduct.identity.OrgId;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes through the log by its index and adds up decisions. It reads what is durable and writes now
 * and then, so deciding does not wait for it; what several nodes do at once is counted once.
 */
public final class CountDecisions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CountDecisions.class);
  private static final long EVERY_SECONDS = 5;

  /** Places read at once. */
  private static final int STRIDE = 2_000;

  /** A transaction with more rows than this would be felt by those who wait behind it. */
  private static final int MOST_KEYS = 2_000;

  private static final int MOST_STRIDES = 20;
  private static final long KEEP_MINUTES_MS = TimeUnit.DAYS.toMillis(2);
  private static final long KEEP_HOURS_MS = TimeUnit.DAYS.toMillis(90);

  private final Tallies tallies;
  private final InstantSource clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private final Set<OrgId> tidied = new HashSet<>();
  private long tidyHour;

  public CountDecisions(Tallies tallies, InstantSource clock) {
    this.tallies = tallies;
    this.clock = clock;
    this.thread = Thread.ofVirtual().name("count-decisions").unstarted(this::work);
  }

  public void start() {
    thread.start();
  }

  /**
   * Counts what has not been counted, a bounded part of it at a time.
   *
   * @return whether all of the log is counted now
   */
  public synchronized boolean step() {
    long from = tallies.next();
    long end = tallies.end();
    long to = from;
    var counts = new HashMap<Tallies.Key, Tallies.Counts>();
    var orgs = new HashSet<OrgId>();
    for (int i = 0; i < MOST_STRIDES && to < end && counts.size() < MOST_KEYS; i++) {
      long next = Math.min(end, to + STRIDE);
      for (Tallies.Decided decided : tallies.decisions(to, next)) {
        if (!decided.dryRun()) {
          add(decided, counts);
          orgs.add(decided.org());
        }
      }
      to = next;
    }
    if (to > from) {
      tallies.add(from, to, counts);
      tidy(orgs);
    }
    return to >= end;
  }

  private static void add(Tallies.Decided decided, Map<Tallies.Key, Tallies.Counts> counts) {
    count(decided, Tallies.Kind.MINUTE, "", counts);
    count(decided, Tallies.Kind.HOUR, "", counts);
    count(decided, Tallies.Kind.CODE, decided.code(), counts);
    decided.agent().ifPresent(agent -> count(decided, Tallies.Kind.AGENT, agent, counts));
    decided.policy().ifPresent(policy -> count(decided, Tallies.Kind.POLICY, policy, counts));
  }

  private static void count(
      Tallies.Decided decided,
      Tallies.Kind kind,
      String name,
      Map<Tallies.Key, Tallies.Counts> counts) {
    counts.merge(
        new Tallies.Key(decided.org(), kind, kind.bucket(decided.atMs()), name),
        new Tallies.Counts(decided.allow() ? 1 : 0, decided.allow() ? 0 : 1),
        Tallies.Counts::plus);
  }

  /** Once an hour for each organization that has new counts. */
  private void tidy(Set<OrgId> orgs) {
    long now = clock.millis();
    long hour = Tallies.Kind.HOUR.bucket(now);
    if (hour != tidyHour) {
      tidied.clear();
      tidyHour = hour;
    }
    for (OrgId org : orgs) {
      if (tidied.add(org)) {
        for (Tallies.Kind kind : Tallies.Kind.values()) {
          long keep = kind == Tallies.Kind.MINUTE ? KEEP_MINUTES_MS : KEEP_HOURS_MS;
          tallies.forget(org, kind, now - keep);
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
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

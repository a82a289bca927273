package dev.safeconduct.audit;

import dev.safeconduct.db.PeriodicTask;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.RecordKind;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts decisions along the log and indexes occurrences. It takes the records that this node has
 * committed from memory, reads all others, and writes in intervals, so decisions do not wait for
 * it. Concurrent runs on several nodes count each record once.
 */
public final class CountDecisions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CountDecisions.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** The number of positions read at once. */
  private static final int STRIDE = 2_000;

  /**
   * About the most rows of a transaction. Many more would delay the transactions queued behind it;
   * fewer would write the row of an agent and policy more often.
   */
  private static final int MOST_ROWS = 1_000;

  private static final int MOST_STRIDES = 20;

  /** The time a page request may wait for the current step. */
  private static final long MOST_WAIT_MS = 50;

  /** The kinds of records of a changed passport. */
  private static final Set<String> CHANGES =
      Set.of(
          RecordKind.PASSPORT_ISSUED.wire(),
          RecordKind.PASSPORT_UPDATED.wire(),
          RecordKind.STATUS_CHANGE.wire());

  private final DecisionCounts tallies;
  private final InstantSource clock;
  private final ReentrantLock stepping = new ReentrantLock();
  private final PeriodicTask task;
  private final Uncounted uncounted;
  private final Set<OrgId> tidied = new HashSet<>();
  private long tidyHour;

  public CountDecisions(DecisionCounts tallies, InstantSource clock) {
    this.tallies = tallies;
    this.uncounted = tallies.uncounted();
    this.clock = clock;
    this.task =
        new PeriodicTask(
            LOG, "count-decisions", EVERY, this::step, 0, "decisions could not be counted");
  }

  public void start() {
    task.start();
  }

  /**
   * Counts the uncounted records, in bounded steps.
   *
   * @return whether the whole log is counted now
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
   * Counts the latest records for a page request. It counts only a small number of them, and none
   * when the current step takes too long.
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
    long ours = uncounted.end();
    long end = tallies.end();
    uncounted.compare(ours, end);
    long to = from;
    var counts = new HashMap<DecisionCounts.Key, DecisionCounts.Counts>();
    var occurrences = new HashSet<LogParts.Occurrence>();
    var uses = new HashMap<AgentUse.Key, AgentUse.Times>();
    var orgs = new HashSet<OrgId>();
    long now = clock.millis();
    for (int i = 0;
        i < strides && to < end && counts.size() + occurrences.size() + uses.size() < MOST_ROWS;
        i++) {
      Optional<Uncounted.Stretch> committed = uncounted.takeFrom(to);
      Uncounted.Stretch next =
          committed.isPresent() ? committed.get() : read(to, Math.min(end, to + STRIDE));
      next.numbers()
          .forEach((seen, number) -> {
            note(seen, occurrences);
            use(seen, number, uses);
            if (seen.allow().isPresent() && !seen.dryRun()) {
              boolean allow = seen.allow().get();
              add(
                  seen,
                  new DecisionCounts.Counts(allow ? number : 0, allow ? 0 : number),
                  now,
                  counts);
              orgs.add(seen.org());
            }
          });
      to = next.to();
    }
    if (to > from) {
      tallies.add(from, to, new DecisionCounts.Counted(counts, occurrences, uses));
      tidy(orgs);
    }
    return to >= end;
  }

  private Uncounted.Stretch read(long from, long most) {
    long to = uncounted.firstBefore(most);
    return new Uncounted.Stretch(from, to, tallies.records(from, to));
  }

  private static void note(DecisionCounts.Alike seen, Set<LogParts.Occurrence> occurrences) {
    occur(seen, LogParts.Facet.KIND, seen.kind(), occurrences);
    occur(seen, LogParts.Facet.MINUTE, LogParts.Facet.minute(seen.minuteMs()), occurrences);
    seen.agent().ifPresent(agent -> occur(seen, LogParts.Facet.AGENT, agent, occurrences));
    seen.policy().ifPresent(policy -> occur(seen, LogParts.Facet.POLICY, policy, occurrences));
    seen.code().ifPresent(code -> occur(seen, LogParts.Facet.CODE, code, occurrences));
    seen.allow()
        .ifPresent(
            allow -> occur(seen, LogParts.Facet.ALLOW, Boolean.toString(allow), occurrences));
  }

  /** Notes an allowed action, or a change of the agent's passport. */
  private static void use(
      DecisionCounts.Alike seen, long number, Map<AgentUse.Key, AgentUse.Times> uses) {
    boolean allowed = seen.allow().orElse(false) && !seen.dryRun() && seen.policy().isPresent();
    if (allowed || CHANGES.contains(seen.kind())) {
      seen.agent()
          .ifPresent(agent ->
              uses.merge(
                  AgentUse.Key.of(seen, agent),
                  new AgentUse.Times(number, seen.minuteMs()),
                  AgentUse.Times::and));
    }
  }

  private static void occur(
      DecisionCounts.Alike seen,
      LogParts.Facet facet,
      String name,
      Set<LogParts.Occurrence> occurrences) {
    occurrences.add(new LogParts.Occurrence(seen.org(), facet, name, seen.part()));
  }

  private static void add(
      DecisionCounts.Alike seen,
      DecisionCounts.Counts number,
      long now,
      Map<DecisionCounts.Key, DecisionCounts.Counts> counts) {
    var names = new EnumMap<DecisionCounts.Kind, String>(DecisionCounts.Kind.class);
    names.put(DecisionCounts.Kind.MINUTE, "");
    names.put(DecisionCounts.Kind.HOUR, "");
    names.put(DecisionCounts.Kind.CODE, seen.code().orElse(""));
    seen.policy().ifPresent(policy -> names.put(DecisionCounts.Kind.POLICY, policy));
    seen.agent()
        .ifPresent(agent -> {
          names.put(DecisionCounts.Kind.AGENT, agent);
          names.put(DecisionCounts.Kind.AGENT_DAY, agent);
          if (number.denied() > 0) {
            names.put(DecisionCounts.Kind.DENIALS, agent);
          }
        });
    names.forEach((kind, name) -> {
      for (long bucket : kind.buckets(seen.minuteMs())) {
        if (bucket >= kind.oldest(now)) {
          counts.merge(
              new DecisionCounts.Key(seen.org(), kind, bucket, name),
              number,
              DecisionCounts.Counts::plus);
        }
      }
    });
  }

  /** Deletes old buckets once an hour for each organization that has new counts. */
  private void tidy(Set<OrgId> orgs) {
    long now = clock.millis();
    long hour = TimeUnit.MILLISECONDS.toHours(now);
    if (hour != tidyHour) {
      tidied.clear();
      tidyHour = hour;
    }
    for (OrgId org : orgs) {
      if (tidied.add(org)) {
        for (DecisionCounts.Kind kind : DecisionCounts.Kind.values()) {
          tallies.forget(org, kind, kind.oldest(now));
        }
      }
    }
  }

  /** Ends after the current step. */
  @Override
  public void close() {
    task.close();
  }
}

package dev.safeconduct.simulate;

import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.policy.hosted.PackCache;
import dev.safeconduct.verify.DecisionListener;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.UsageLookup;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates answered decisions with shadow versions on its own thread. The queue is bounded in
 * number and size. Decisions that do not fit are counted as dropped.
 */
public final class ShadowRun implements DecisionListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowRun.class);

  private static final int MOST_WAITING = 5_000;
  private static final long MOST_BYTES = 8L << 20;
  private static final int MOST_UNWRITTEN = 5_000;
  private static final Duration WRITE_EVERY = Duration.ofMillis(250);
  private static final Duration LAST_RUN = Duration.ofSeconds(2);

  private final String node;
  private final Evaluator evaluator;
  private final UsageLookup counters;
  private final ShadowResults trials;
  private final Function<EvaluationInput, UnaryOperator<String>> redacted;
  private final Thread thread;

  private final Queue<ShadowEvaluation> waiting = new ArrayDeque<>();
  private long bytes;
  private final Map<ShadowResults.Subject, Long> dropped = new LinkedHashMap<>();
  private volatile boolean closing;

  /** For the thread alone: what is not written yet, and how many differences that are. */
  private Map<ShadowResults.Subject, Result> results = new LinkedHashMap<>();

  private int unwritten;

  private static final class Result {
    private ShadowResults.ShadowCounts tally = ShadowResults.ShadowCounts.ZERO;
    private final List<JsonObject> differences = new ArrayList<>();
  }

  /**
   * @param node this process's name
   * @param redacted takes the secrets of an action out of a text
   */
  public ShadowRun(
      String node,
      Evaluator evaluator,
      UsageLookup counters,
      ShadowResults trials,
      Function<EvaluationInput, UnaryOperator<String>> redacted) {
    this.node = node;
    this.evaluator = evaluator;
    this.counters = counters;
    this.trials = trials;
    this.redacted = redacted;
    this.thread = Thread.ofPlatform().name("shadow").daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  /** Queues the decision where a version of its pack is tried; never waits and never fails. */
  @Override
  public void recorded(Recorded decision) {
    ShadowEvaluation.of(decision).ifPresent(this::offer);
  }

  private void offer(ShadowEvaluation trial) {
    synchronized (this) {
      if (closing || waiting.size() >= MOST_WAITING || bytes + trial.weight() > MOST_BYTES) {
        dropped.merge(subject(trial), 1L, Long::sum);
      } else {
        waiting.add(trial);
        bytes += trial.weight();
      }
    }
    LockSupport.unpark(thread);
  }

  private static ShadowResults.Subject subject(ShadowEvaluation trial) {
    return new ShadowResults.Subject(
        trial.input().subject().org(),
        trial.input().policy().pack().id().value(),
        trial.tried().version());
  }

  private void run() {
    long nextWrite = System.nanoTime();
    while (!closing) {
      ShadowEvaluation next = take();
      if (next != null) {
        hold(next);
      }
      if (System.nanoTime() - nextWrite >= 0 || unwritten >= MOST_UNWRITTEN / 2) {
        write();
        nextWrite = System.nanoTime() + WRITE_EVERY.toNanos();
      }
      if (next == null && !closing) {
        // Woken by the next offer; a moment is enough while something is still to be written.
        boolean written = results.isEmpty() && !hasDropped();
        LockSupport.parkNanos(this, written ? 10 * WRITE_EVERY.toNanos() : 10_000_000L);
      }
    }
    long end = System.nanoTime() + LAST_RUN.toNanos();
    ShadowEvaluation next = take();
    while (next != null && System.nanoTime() - end < 0) {
      hold(next);
      next = take();
    }
    while (next != null) {
      result(subject(next)).tally =
          result(subject(next)).tally.plus(ShadowResults.ShadowCounts.DROPPED);
      next = take();
    }
    write();
  }

  private synchronized @Nullable ShadowEvaluation take() {
    ShadowEvaluation next = waiting.poll();
    if (next == null) {
      bytes = 0;
    } else {
      bytes = Math.max(0, bytes - next.weight());
    }
    return next;
  }

  private synchronized boolean hasDropped() {
    return !dropped.isEmpty();
  }

  private void hold(ShadowEvaluation trial) {
    Result result = result(subject(trial));
    try {
      Optional<Outcome> tried = evaluate(trial);
      if (tried.isEmpty()) {
        result.tally = result.tally.plus(ShadowResults.ShadowCounts.FAILED);
        return;
      }
      Optional<Difference> difference =
          Difference.between(trial, tried.get(), redacted.apply(trial.input()));
      if (difference.isEmpty()) {
        result.tally = result.tally.plus(ShadowResults.ShadowCounts.SAME);
        return;
      }
      result.tally = result.tally.plus(ShadowResults.ShadowCounts.of(difference.get().kind()));
      if (unwritten < MOST_UNWRITTEN) {
        result.differences.add(difference.get().body());
        unwritten++;
      } else {
        result.tally = result.tally.plus(ShadowResults.ShadowCounts.DROPPED);
      }
    } catch (RuntimeException | StackOverflowError e) {
      LOG.debug("a decision could not be held against a tried version", e);
      result.tally = result.tally.plus(ShadowResults.ShadowCounts.FAILED);
    }
  }

  /**
   * What the shadow version would have decided; empty when it cannot be evaluated. Nothing is
   * charged.
   */
  private Optional<Outcome> evaluate(ShadowEvaluation trial) {
    return trial
        .tried()
        .pack()
        .flatMap(pack -> trial.input().by(pack, trial.sentContext()))
        .flatMap(
            input -> evaluator.settle(input, (keys, at) -> before(trial, keys, at), new Budget()))
        .filter(outcome -> !ReasonCode.POLICY_ERROR.is(outcome.reason().code()));
  }

  /**
   * The counters as they were before the decision. They are the active version's own and are read
   * after it has charged them, so what this very decision took is taken off again.
   */
  private Usage before(ShadowEvaluation trial, Collection<CounterKey> keys, Instant at) {
    Usage present = counters.totals(keys, at);
    var before = new HashMap<CounterKey, Long>();
    for (CounterKey key : keys) {
      before.put(key, present.total(key) - taken(trial, key));
    }
    return Usage.of(before);
  }

  private static long taken(ShadowEvaluation trial, CounterKey key) {
    return trial.decided() instanceof Outcome.Allow allow
        ? allow.charges().stream()
            .filter(charge -> charge.key().equals(key))
            .mapToLong(Charge::amount)
            .sum()
        : 0;
  }

  private Result result(ShadowResults.Subject subject) {
    return results.computeIfAbsent(subject, _ -> new Result());
  }

  private void write() {
    synchronized (this) {
      dropped.forEach((subject, count) -> {
        Result result = result(subject);
        result.tally = result.tally.plus(new ShadowResults.ShadowCounts(0, 0, 0, 0, 0, count));
      });
      dropped.clear();
    }
    if (results.isEmpty()) {
      return;
    }
    var written = new LinkedHashMap<ShadowResults.Subject, ShadowResults.Result>();
    results.forEach((subject, result) ->
        written.put(
            subject, new ShadowResults.Result(result.tally, List.copyOf(result.differences))));
    try {
      trials.add(node, written);
      results = new LinkedHashMap<>();
      unwritten = 0;
    } catch (ProblemException e) {
      LOG.atLevel(StoreUnavailable.level(e))
          .log("results of trials wait to be written: {}", e.getMessage());
    }
  }

  /** Holds what waits, as far as there is time, writes the results and says so. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(500); // a database that hangs must not delay the stop
      trials.finished(node);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ProblemException e) {
      LOG.debug("the end of the trials could not be noted", e);
    }
  }

  /**
   * A recorded decision that a tried version is to be held against.
   *
   * @param tried the version that is tried
   * @param decided what the active version decided, with the charges it took
   * @param weight about how much memory the action holds, see {@link SizeEstimate}
   */
  public record ShadowEvaluation(
      UUID decisionId,
      EvaluationInput input,
      JsonObject sentContext,
      Outcome decided,
      PackCache.ShadowVersion tried,
      long weight) {

    /** The trial; empty when no version is tried, and for a dry run, which is no action. */
    static Optional<ShadowEvaluation> of(DecisionListener.Recorded decision) {
      return decision.dryRun()
          ? Optional.empty()
          : decision
              .input()
              .policy()
              .trial()
              .map(tried ->
                  new ShadowEvaluation(
                      decision.id(),
                      decision.input(),
                      decision.sentContext(),
                      decision.outcome(),
                      tried,
                      SizeEstimate.of(decision.sentContext())
                          + decision.input().subject().passport().size()));
    }
  }

  /**
   * A decision that the tried version would have made otherwise.
   *
   * @param body what is kept of it and shown
   */
  record Difference(Kind kind, JsonObject body) {
    /** How the two outcomes differ. */
    enum Kind {
      WOULD_DENY,
      WOULD_ALLOW,
      OTHER_REASON;

      private final String wire = name().toLowerCase(Locale.ROOT);
    }

    /** The difference, if there is one; {@code redacted} takes secrets out of messages. */
    static Optional<Difference> between(
        ShadowRun.ShadowEvaluation trial, Outcome tried, UnaryOperator<String> redacted) {
      boolean allowed = trial.decided() instanceof Outcome.Allow;
      boolean wouldAllow = tried instanceof Outcome.Allow;
      if (allowed == wouldAllow && trial.decided().reason().code().equals(tried.reason().code())) {
        return Optional.empty();
      }
      Kind kind =
          allowed == wouldAllow ? Kind.OTHER_REASON : allowed ? Kind.WOULD_DENY : Kind.WOULD_ALLOW;
      return Optional.of(
          new Difference(
              kind,
              JsonObject.builder()
                  .put("decision_id", trial.decisionId().toString())
                  .put("at", IsoInstant.millis(trial.input().at()))
                  .put("agent_id", trial.input().subject().agentId())
                  .put("difference", kind.wire)
                  .put(
                      "active",
                      side(
                          trial.input().policy().pack().digest(),
                          allowed,
                          trial.decided(),
                          redacted))
                  .put(
                      "shadow",
                      side(trial.tried().digest(), wouldAllow, tried, redacted).toBuilder()
                          .put("version", trial.tried().version())
                          .build())
                  .build()));
    }

    private static JsonObject side(
        String digest, boolean allow, Outcome outcome, UnaryOperator<String> redacted) {
      Reason reason = outcome.reason();
      return JsonObject.builder()
          .put("policy_digest", digest)
          .put("allow", allow)
          .put("code", reason.code())
          .put("message", redacted.apply(reason.message()))
          .putIfPresent("rule", reason.rule())
          .build();
    }
  }
}

package dev.safeconduct.ledger;

import dev.safeconduct.db.SqlFault;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The work of one transaction. Entries are evaluated in memory one after the other, each on the
 * state its predecessors left. Everything is written once at the end. Results are only noted on the
 * pending writes; the writer delivers them after the commit.
 */
final class Batch {
  /** The number of new rows of a counter after which its expired rows are deleted. */
  private static final int FORGET_EVERY = 64;

  private final WriterSession session;
  private final ChangeFeed feed;
  private final WriterSession.Opening opening;
  private final Writes writes;
  private final SecureRandom random;
  private final Set<String> changed = new HashSet<>();

  private Batch(
      WriterSession session,
      ChangeFeed feed,
      WriterSession.Opening opening,
      Writes writes,
      SecureRandom random) {
    this.session = session;
    this.feed = feed;
    this.opening = opening;
    this.writes = writes;
    this.random = random;
  }

  /**
   * Writes the work and commits.
   *
   * @param horizonMs rows that expired by this time may be deleted
   * @param nowMs the time stored with changes
   */
  static void run(
      WriterSession session,
      ChangeFeed feed,
      List<WriteRequest> works,
      SecureRandom random,
      long horizonMs,
      long nowMs)
      throws SQLException {
    var counters = new HashSet<CounterKey>();
    var claims = new HashSet<CounterKey>();
    for (WriteRequest work : works) {
      if (work instanceof WriteRequest.Decision(LedgerEntry entry, _, _)) {
        entry.conditions().forEach(condition -> counters.add(condition.key()));
        entry.charges().forEach(charge -> counters.add(charge.key()));
        entry.claim().ifPresent(claim -> claims.add(claim.key()));
      } else if (work instanceof WriteRequest.GiveBack(Refund refund, _, _)) {
        refund.charges().forEach(charge -> counters.add(charge.key()));
        refund.claim().ifPresent(claims::add);
      }
    }
    WriterSession.Opening opening = session.begin(feed.sequence(), counters, claims);
    // The changes are committed. This node's caches must drop them before a caller evaluates again.
    feed.apply(opening.changes());
    var batch =
        new Batch(
            session, feed, opening, new Writes(opening.nextIndex(), horizonMs, nowMs), random);
    for (WriteRequest work : works) {
      if (work.ticket().isOverdue()) { // it has waited for the log's lock
        work.ticket().noteProblem(StoreUnavailable.late());
        continue;
      }
      switch (work) {
        case WriteRequest.Decision decision -> decision.ticket().note(batch.judge(decision));
        case WriteRequest.GiveBack back -> back.ticket().note(batch.giveBack(back));
        case WriteRequest.Change<?> change -> batch.apply(change);
      }
    }
    session.finish(batch.writes);
    feed.apply(batch.writes.changes);
    feed.appended(batch.writes.firstIndex, batch.writes.records);
  }

  private Commit judge(WriteRequest.Decision decision) throws SQLException {
    LedgerEntry entry = decision.entry();
    if (isOutdated(entry.fence())) {
      return new Commit.Superseded();
    }
    if (entry.claim().isPresent()) {
      Optional<Commit> settled = settledBy(entry.claim().get(), atMs(entry));
      if (settled.isPresent()) {
        return settled.get();
      }
    }
    for (CounterPrecondition condition : entry.conditions()) {
      if (counter(condition.key()).total(atMs(entry)) > condition.atMost()) {
        return new Commit.UsageMoved(totals(entry));
      }
    }
    if (!entry.steps().isEmpty() && !takeSteps(entry)) {
      return new Commit.Superseded();
    }
    for (Charge charge : entry.charges()) {
      take(charge);
    }
    UUID id = entry.record().id();
    entry.claim().ifPresent(claim -> writes.claims.put(claim.key(), HeldKey.of(claim, id)));
    return new Commit.Recorded(writes.append(new LogEntry(entry.record(), decision.commitment())));
  }

  private boolean isOutdated(ReadSet fence) {
    return feed.outdates(fence)
        || (!changed.isEmpty() && !Collections.disjoint(changed, fence.subjects()));
  }

  /** Takes all of the entry's steps, or none of them when one cannot be taken. */
  private boolean takeSteps(LedgerEntry entry) throws SQLException {
    Connection connection = session.connection();
    // A refused step has written nothing; only the steps before it have to be undone.
    Savepoint before = entry.steps().size() > 1 ? connection.setSavepoint() : null;
    for (LedgerStep step : entry.steps()) {
      if (!step.take(connection, entry.record())) {
        if (before != null) {
          connection.rollback(before);
        }
        return false;
      }
    }
    if (before != null) {
      connection.releaseSavepoint(before);
    }
    return true;
  }

  /**
   * Returns the result of an idempotency key in use; empty when it is free or can be taken over.
   */
  private Optional<Commit> settledBy(IdempotencyClaim claim, long atMs) throws SQLException {
    HeldKey held = held(claim.key());
    if (held == null || held.expiresAtMs() <= atMs) {
      return Optional.empty();
    }
    if (!held.sameRequest(claim)) {
      return Optional.of(new Commit.KeyTaken());
    }
    return held.sameBasis(claim)
        ? record(held.recordId())
            .filter(record -> !record.commitment().isErased())
            .map(Commit.Replayed::new)
        : Optional.empty();
  }

  private @Nullable HeldKey held(CounterKey claim) {
    HeldKey held = writes.claims.get(claim);
    return held == null ? opening.claims().get(claim) : held;
  }

  /** Returns whether the charges may be refunded; if so, they and the key are released. */
  private boolean giveBack(WriteRequest.GiveBack back) throws SQLException {
    Refund refund = back.refund();
    if (!refund.settle().take(session.connection(), back.entry().record())) {
      return false;
    }
    for (Charge charge : refund.charges()) {
      if (counter(charge.key()).subtract(charge.expiresAtMs(), charge.amount())) {
        writes.sums.put(
            new Writes.CounterRow(charge.key(), charge.expiresAtMs()),
            counter(charge.key()).sum(charge.expiresAtMs()));
      }
    }
    if (refund.claim().isPresent()) {
      HeldKey held = held(refund.claim().get());
      if (held != null && held.recordId().equals(refund.decisionId())) {
        writes.claims.put(refund.claim().get(), held.expired());
      }
    }
    writes.append(back.entry());
    return true;
  }

  private Optional<StoredRecord> record(UUID id) throws SQLException {
    for (int i = 0; i < writes.records.size(); i++) {
      LogEntry entry = writes.records.get(i);
      if (entry.record().id().equals(id)) {
        return Optional.of(
            new StoredRecord(writes.firstIndex + i, entry.record(), entry.commitment()));
      }
    }
    return session.record(id);
  }

  private Map<CounterKey, Long> totals(LedgerEntry entry) {
    var totals = new HashMap<CounterKey, Long>();
    for (CounterPrecondition condition : entry.conditions()) {
      totals.put(condition.key(), counter(condition.key()).total(atMs(entry)));
    }
    return totals;
  }

  private void take(Charge charge) {
    Counter counter = counter(charge.key());
    int before = counter.size();
    long sum = counter.add(charge.expiresAtMs(), charge.amount());
    writes.sums.put(new Writes.CounterRow(charge.key(), charge.expiresAtMs()), sum);
    if (counter.size() > before
        && counter.size() % FORGET_EVERY == 0
        && counter.forget(writes.horizonMs) > 0) {
      writes.stale.add(charge.key());
    }
  }

  private Counter counter(CounterKey key) {
    Counter counter = opening.counters().get(key);
    if (counter == null) {
      throw new IllegalStateException("the session did not load a counter it was asked for");
    }
    return counter;
  }

  private <T> void apply(WriteRequest.Change<T> change) throws SQLException {
    Savepoint before = session.connection().setSavepoint();
    try {
      MutationResult<T> effect = change.mutation().apply(session.connection());
      session.connection().releaseSavepoint(before);
      effect
          .records()
          .forEach(entry -> writes.append(new LogEntry(entry, Commitment.to(entry, random))));
      for (String subject : effect.subjects()) {
        long last = feed.sequence() + writes.changes.size();
        writes.changes.add(new Change(last + 1, subject));
        changed.add(subject);
      }
      change.ticket().note(effect.answer());
    } catch (ProblemException e) {
      session.connection().rollback(before);
      change.ticket().noteProblem(e.problem());
    } catch (SQLException e) {
      if (!SqlFault.isConflict(e)) {
        throw e;
      }
      session.connection().rollback(before);
      change
          .ticket()
          .noteProblem(new Problem.Conflict("One with that id or name exists.", "already_exists"));
    }
  }

  private static long atMs(LedgerEntry entry) {
    return entry.record().at().toEpochMilli();
  }
}

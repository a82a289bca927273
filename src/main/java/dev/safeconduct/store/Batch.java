package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.Commitment;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.Commit;
import dev.safeconduct.usage.Condition;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Fence;
import dev.safeconduct.usage.IdempotencyClaim;
import dev.safeconduct.usage.LedgerEntry;
import dev.safeconduct.usage.Reservation;
import java.security.SecureRandom;
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
 * One transaction's worth of work. Entries are judged in memory one after the other, each on what
 * those before it left, and everything is written once at the end. Answers are only noted on the
 * tickets; the writer hands them out.
 */
final class Batch {
  /** Expired rows of a counter are looked for each time it has grown by this many. */
  private static final int FORGET_EVERY = 64;

  private final Session session;
  private final SqlChangeFeed feed;
  private final Session.Opening opening;
  private final Writes writes;
  private final SecureRandom random;
  private final Set<String> changed = new HashSet<>();

  private Batch(
      Session session,
      SqlChangeFeed feed,
      Session.Opening opening,
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
   * @param horizonMs what expired by then may be deleted
   * @param nowMs written beside changes
   */
  static void run(
      Session session,
      SqlChangeFeed feed,
      List<Work> works,
      SecureRandom random,
      long horizonMs,
      long nowMs)
      throws SQLException {
    var counters = new HashSet<CounterKey>();
    var claims = new HashSet<CounterKey>();
    for (Work work : works) {
      if (work instanceof Work.Decision(LedgerEntry entry, _, _)) {
        entry.conditions().forEach(condition -> counters.add(condition.key()));
        entry.charges().forEach(charge -> counters.add(charge.key()));
        entry.claim().ifPresent(claim -> claims.add(claim.key()));
      } else if (work instanceof Work.Release(Reservation reservation, _, _)) {
        reservation.charges().forEach(charge -> counters.add(charge.key()));
        reservation.claim().ifPresent(claims::add);
      }
    }
    Session.Opening opening = session.begin(feed.sequence(), counters, claims);
    // They are committed: this node's caches must go before anyone is told to judge again.
    feed.apply(opening.changes());
    var batch =
        new Batch(
            session, feed, opening, new Writes(opening.nextIndex(), horizonMs, nowMs), random);
    for (Work work : works) {
      switch (work) {
        case Work.Decision decision -> decision.ticket().note(batch.judge(decision));
        case Work.Release release -> release.ticket().note(batch.release(release));
        case Work.Change<?> change -> batch.apply(change);
      }
    }
    session.finish(batch.writes);
    feed.apply(batch.writes.changes);
  }

  private Commit judge(Work.Decision decision) throws SQLException {
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
    for (Condition condition : entry.conditions()) {
      if (counter(condition.key()).total(atMs(entry)) > condition.atMost()) {
        return new Commit.UsageMoved(totals(entry));
      }
    }
    if (entry.approval().isPresent()
        && !SqlApprovals.take(session.connection(), entry.approval().get(), entry.record())) {
      return new Commit.Superseded();
    }
    for (Charge charge : entry.charges()) {
      take(charge);
    }
    UUID id = entry.record().id();
    entry.claim().ifPresent(claim -> writes.claims.put(claim.key(), HeldKey.of(claim, id)));
    entry.reservation().ifPresent(writes.reservations::add);
    return new Commit.Done(writes.append(new LogEntry(entry.record(), decision.commitment())));
  }

  private boolean isOutdated(Fence fence) {
    return feed.outdates(fence)
        || (!changed.isEmpty() && !Collections.disjoint(changed, fence.subjects()));
  }

  /** The answer of a key that is held; empty when it is free or to be taken over. */
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

  /** Whether the reservation was open; its charges and its key are free then. */
  private boolean release(Work.Release release) throws SQLException {
    Reservation reservation = release.reservation();
    if (!ReservationRows.settle(
        session.connection(),
        reservation,
        Reservation.Kind.RELEASED,
        release.entry().record().at())) {
      return false;
    }
    for (Charge charge : reservation.charges()) {
      if (counter(charge.key()).subtract(charge.expiresAtMs(), charge.amount())) {
        writes.sums.put(
            new Slot(charge.key(), charge.expiresAtMs()),
            counter(charge.key()).sum(charge.expiresAtMs()));
      }
    }
    if (reservation.claim().isPresent()) {
      HeldKey held = held(reservation.claim().get());
      if (held != null && held.recordId().equals(reservation.decisionId())) {
        writes.claims.put(reservation.claim().get(), held.expired());
      }
    }
    writes.append(release.entry());
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
    for (Condition condition : entry.conditions()) {
      totals.put(condition.key(), counter(condition.key()).total(atMs(entry)));
    }
    return totals;
  }

  private void take(Charge charge) {
    Counter counter = counter(charge.key());
    int before = counter.size();
    long sum = counter.add(charge.expiresAtMs(), charge.amount());
    writes.sums.put(new Slot(charge.key(), charge.expiresAtMs()), sum);
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

  private <T> void apply(Work.Change<T> change) throws SQLException {
    Savepoint before = session.connection().setSavepoint();
    try {
      Effect<T> effect = change.mutation().apply(session.connection());
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

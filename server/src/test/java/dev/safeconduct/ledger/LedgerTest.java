package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.claim;
import static dev.safeconduct.ledger.Fixtures.claiming;
import static dev.safeconduct.ledger.Fixtures.entry;
import static dev.safeconduct.ledger.Fixtures.taking;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.identity.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What {@code Ledger} promises, on either database. */
final class LedgerTest extends StoreContract {
  private static final long LATER = NOW.toEpochMilli() + 60_000;

  private final CounterKey key = CounterKey.of("counter", UUID.randomUUID().toString());

  @Test
  void numbersRecordsWithoutGapsAcrossReopening() {
    long first = done(new Ledger(store()).commit(entry(0)));
    long second = done(new Ledger(store()).commit(entry(0)));
    reopen();
    assertThat(second).isEqualTo(first + 1);
    assertThat(done(new Ledger(store()).commit(entry(0)))).isEqualTo(second + 1);
    List<StoredRecord> all =
        new AuditLog(store().reads())
            .list(new Tenant.Everyone(), AuditFilter.ALL, Long.MAX_VALUE, 1000);
    assertThat(all.reversed()).extracting(StoredRecord::logIndex).startsWith(0L, 1L, 2L);
    assertThat(all.getFirst().logIndex()).isEqualTo(all.size() - 1L);
  }

  @Test
  void takesUpToTheCapAndNotOneMore() {
    assertThat(new Ledger(store()).commit(taking(key, 60, 40, NOW, LATER)))
        .isInstanceOf(Commit.Recorded.class);
    LedgerEntry tooMuch = taking(key, 60, 40, NOW, LATER);
    assertThat(new Ledger(store()).commit(tooMuch))
        .isEqualTo(new Commit.UsageMoved(Map.of(key, 60L)));
    assertThat(new AuditLog(store().reads()).find(new Tenant.Everyone(), tooMuch.record().id()))
        .isEmpty();
    assertThat(new Ledger(store()).commit(taking(key, 40, 60, NOW, LATER)))
        .isInstanceOf(Commit.Recorded.class);
    assertThat(total()).isEqualTo(100);
    reopen();
    assertThat(total()).isEqualTo(100);
    assertThat(new Ledger(store()).commit(taking(key, 1, 99, NOW, LATER)))
        .isEqualTo(new Commit.UsageMoved(Map.of(key, 100L)));
  }

  /** The writes of a batch and its commit are sent at once: a failed one must commit nothing. */
  @Test
  void anEntryThatCannotBeWrittenTakesNothingFromTheOthersOfItsBatch() throws Exception {
    LedgerEntry again = taking(key, 1, 100, NOW, LATER);
    long first = done(new Ledger(store()).commit(again));
    var results = new ArrayList<Future<Commit>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var held = new CompletableFuture<Boolean>();
      var ended = new CompletableFuture<Boolean>();
      Future<Boolean> before =
          threads.submit(() ->
              store()
                  .change(_ -> {
                    held.complete(true);
                    return MutationResult.none(ended.join());
                  }));
      held.join();
      for (int i = 0; i < 9; i++) {
        LedgerEntry entry = i == 4 ? again : taking(key, 1, 100, NOW, LATER);
        results.add(threads.submit(() -> new Ledger(store()).commit(entry)));
      }
      while (store().waiting() < 9) {
        Thread.onSpinWait();
      }
      ended.complete(true);
      assertThat(before.get()).isTrue();
    }
    assertThat(results.remove(4).state()).isEqualTo(Future.State.FAILED);
    assertThat(results.stream().map(result -> done(result.resultNow())))
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(first + 1, first + 8).boxed().toList());
    assertThat(total()).isEqualTo(9);
  }

  @Test
  void forgetsWhatHasExpiredAtTheRecordsTime() {
    done(new Ledger(store()).commit(taking(key, 60, 0, NOW, NOW.toEpochMilli() + 1)));
    assertThat(new Ledger(store()).commit(taking(key, 1, 0, NOW, LATER)))
        .isInstanceOf(Commit.UsageMoved.class);
    done(new Ledger(store()).commit(taking(key, 1, 0, NOW.plusMillis(1), LATER)));
  }

  @Test
  void namesTheTotalsOfEveryConditionWhenOneFails() {
    CounterKey other = CounterKey.of("other", UUID.randomUUID().toString());
    done(new Ledger(store()).commit(taking(key, 5, 0, NOW, LATER)));
    done(new Ledger(store()).commit(taking(other, 7, 0, NOW, LATER)));
    LedgerEntry both =
        new LedgerEntry(
            Fixtures.decision(),
            List.of(new CounterPrecondition(other, 100), new CounterPrecondition(key, 4)),
            List.of(new Charge(key, 1, LATER), new Charge(other, 1, LATER)),
            new ReadSet(0, List.of()),
            Optional.empty());
    assertThat(new Ledger(store()).commit(both))
        .isEqualTo(new Commit.UsageMoved(Map.of(key, 5L, other, 7L)));
    assertThat(total()).isEqualTo(5);
  }

  @Test
  void stopsAtTheGreatestSumInsteadOfRunningOver() {
    done(new Ledger(store()).commit(taking(key, Long.MAX_VALUE, 0, NOW, LATER)));
    done(new Ledger(store()).commit(taking(key, Long.MAX_VALUE, Long.MAX_VALUE, NOW, LATER)));
    done(new Ledger(store()).commit(taking(key, 9, Long.MAX_VALUE, NOW, Long.MAX_VALUE)));
    assertThat(total()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void replaysAnEqualRequestAndRefusesAnother() {
    String name = UUID.randomUUID().toString();
    LedgerEntry first = claiming(claim(name, 1, 1, NOW.plusSeconds(60)), NOW);
    long index = done(new Ledger(store()).commit(first));
    Commit again =
        new Ledger(store()).commit(claiming(claim(name, 1, 1, NOW.plusSeconds(60)), NOW));
    assertThat(again).isInstanceOf(Commit.Replayed.class);
    StoredRecord original = ((Commit.Replayed) again).original();
    assertThat(original.logIndex()).isEqualTo(index);
    assertThat(original.entry().id()).isEqualTo(first.record().id());
    assertThat(original.entry().body()).isEqualTo(first.record().body());
    assertThat(new Ledger(store()).commit(claiming(claim(name, 2, 1, NOW.plusSeconds(60)), NOW)))
        .isEqualTo(new Commit.KeyTaken());
  }

  @Test
  void handsTheKeyOverOnAnotherBasisAndFreesItWhenItExpires() {
    String name = UUID.randomUUID().toString();
    done(new Ledger(store()).commit(claiming(claim(name, 1, 1, NOW.plusSeconds(60)), NOW)));
    LedgerEntry second = claiming(claim(name, 1, 2, NOW.plusSeconds(60)), NOW);
    done(new Ledger(store()).commit(second));
    Commit replayed =
        new Ledger(store()).commit(claiming(claim(name, 1, 2, NOW.plusSeconds(60)), NOW));
    assertThat(((Commit.Replayed) replayed).original().entry().id())
        .isEqualTo(second.record().id());
    done(
        new Ledger(store())
            .commit(claiming(claim(name, 7, 7, NOW.plusSeconds(200)), NOW.plusSeconds(60))));
  }

  @Test
  void supersedesWhatWasJudgedBeforeAChangeOfItsSubject() {
    long before = store().changes().sequence();
    announce(Change.agent("a"));
    assertThat(store().changes().sequence()).isEqualTo(before + 1);
    assertThat(new Ledger(store()).commit(entry(before, Change.agent("b"), Change.agent("a"))))
        .isEqualTo(new Commit.Superseded());
    assertThat(new Ledger(store()).commit(entry(before, Change.agent("b"))))
        .isInstanceOf(Commit.Recorded.class);
    assertThat(new Ledger(store()).commit(entry(before + 1, Change.agent("a"))))
        .isInstanceOf(Commit.Recorded.class);
    reopen();
    assertThat(store().changes().sequence()).isEqualTo(before + 1);
    // What this process has not seen itself may have changed.
    assertThat(new Ledger(store()).commit(entry(before, Change.agent("b"))))
        .isEqualTo(new Commit.Superseded());
  }

  @Test
  void keepsARecordsEveryPart() {
    LedgerEntry entry = entry(0);
    long index = done(new Ledger(store()).commit(entry));
    StoredRecord stored =
        new AuditLog(store().reads())
            .find(new Tenant.One(Fixtures.ORG), entry.record().id())
            .orElseThrow();
    assertThat(stored)
        .usingRecursiveComparison()
        .isEqualTo(new StoredRecord(index, entry.record(), stored.commitment()));
    assertThat(stored.commitment().matches(entry.record())).isTrue();
    assertThat(stored.entry().kind()).isEqualTo(RecordKind.DECISION);
  }

  private long total() {
    return new Ledger(store()).totals(List.of(key), NOW.toEpochMilli()).total(key);
  }

  static long done(Commit commit) {
    assertThat(commit).isInstanceOf(Commit.Recorded.class);
    return ((Commit.Recorded) commit).logIndex();
  }
}

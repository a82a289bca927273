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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Invariants 3 and 4 under many threads, and on several nodes where the database has them. */
final class LedgerConcurrencyTest extends StoreContract {
  private static final int THREADS = 64;
  private static final long LATER = NOW.toEpochMilli() + 60_000;

  @Test
  void allowsExactlyTheCapWhenAllRaceForIt() throws Exception {
    CounterKey key = CounterKey.of("cap");
    int cap = 1_000;
    List<Long> taken =
        race(i -> {
          long sum = 0;
          for (int amount = 1 + i % 7; amount > 0; ) {
            Commit commit =
                new Ledger(node(i)).commit(taking(key, amount, cap - amount, NOW, LATER));
            if (commit instanceof Commit.Recorded) {
              sum += amount;
            } else {
              amount--; // smaller and smaller, so that every unit finds a taker
            }
          }
          return sum;
        });
    assertThat(taken.stream().mapToLong(Long::longValue).sum()).isEqualTo(cap);
    for (Storage node : nodes()) {
      assertThat(new Ledger(node).totals(List.of(key), NOW.toEpochMilli()).total(key))
          .isEqualTo(cap);
    }
  }

  @Test
  void givesTheLastUnitToOne() throws Exception {
    for (int round = 0; round < 20; round++) {
      CounterKey key = CounterKey.of("last", "" + round);
      List<Commit> commits = race(i -> new Ledger(node(i)).commit(taking(key, 1, 0, NOW, LATER)));
      assertThat(commits).filteredOn(Commit.Recorded.class::isInstance).hasSize(1);
      assertThat(commits).filteredOn(Commit.UsageMoved.class::isInstance).hasSize(THREADS - 1);
    }
  }

  @Test
  void givesAnIdempotencyKeyToOne() throws Exception {
    List<Commit> equal =
        race(i -> new Ledger(node(i)).commit(claiming(claim("k", 1, 1, NOW.plusSeconds(9)), NOW)));
    assertThat(equal).filteredOn(Commit.Recorded.class::isInstance).hasSize(1);
    assertThat(equal)
        .filteredOn(Commit.Replayed.class::isInstance)
        .extracting(commit -> ((Commit.Replayed) commit).original().entry().id())
        .hasSize(THREADS - 1)
        .containsOnly(all().getFirst().entry().id());
    List<Commit> different =
        race(i -> new Ledger(node(i)).commit(claiming(claim("d", i, 1, NOW.plusSeconds(9)), NOW)));
    assertThat(different).filteredOn(Commit.Recorded.class::isInstance).hasSize(1);
    assertThat(different).filteredOn(Commit.KeyTaken.class::isInstance).hasSize(THREADS - 1);
  }

  @Test
  void commitsNothingJudgedBeforeAnAnsweredChange() throws Exception {
    for (int round = 0; round < 10; round++) {
      String agent = "agent" + round;
      var suspended = new AtomicBoolean();
      var running = new CountDownLatch(THREADS - 1);
      List<Boolean> sound =
          race(i -> {
            if (i == 0) {
              await(running);
              announce(Change.agent(agent));
              suspended.set(true);
              return true;
            }
            // As judged before the change: the sequence is not read again.
            long judgedAt = node(i).changes().sequence();
            boolean superseded = false;
            boolean ok = true;
            running.countDown();
            while (!superseded) {
              boolean late = suspended.get();
              Commit commit = new Ledger(node(i)).commit(entry(judgedAt, Change.agent(agent)));
              superseded = commit instanceof Commit.Superseded;
              ok &= superseded || !late;
              ok &= !superseded || node(i).changes().sequence() > judgedAt;
            }
            return ok;
          });
      assertThat(sound).doesNotContain(false);
    }
  }

  @Test
  void numbersWithoutGapsOverAllNodes() throws Exception {
    race(i -> {
      for (int n = 0; n < 20; n++) {
        new Ledger(node(i)).commit(entry(Long.MAX_VALUE));
      }
      return i;
    });
    List<Long> indexes = all().stream().map(StoredRecord::logIndex).sorted().toList();
    assertThat(indexes)
        .containsExactlyElementsOf(LongStream.range(0, THREADS * 20L).boxed().toList());
  }

  @Test
  void tellsEveryNodeOfEveryChangeInOrder() throws Exception {
    var heard = new ArrayList<List<Change>>();
    var all = new CountDownLatch(50 * nodes().size());
    for (Storage node : nodes()) {
      List<Change> changes = Collections.synchronizedList(new ArrayList<>());
      heard.add(changes);
      node.changes()
          .listen(change -> {
            changes.add(change);
            all.countDown();
          });
    }
    for (int i = 0; i < 50; i++) {
      announce(Change.key("key" + i));
    }
    // An answered change is known to the node that took it without any waiting.
    assertThat(heard.getFirst()).hasSize(50);
    await(all);
    for (List<Change> changes : heard) {
      assertThat(changes).isEqualTo(heard.getFirst());
      assertThat(changes).extracting(Change::sequence).isSorted();
    }
  }

  private List<StoredRecord> all() {
    return new AuditLog(store().reads())
        .list(new Tenant.Everyone(), AuditFilter.ALL, Long.MAX_VALUE, 1_000_000);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> List<T> race(IntFunction<T> runner)
      throws InterruptedException, ExecutionException {
    var start = new CountDownLatch(THREADS);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<T>>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        running.add(
            threads.submit(() -> {
              start.countDown();
              start.await();
              return runner.apply(number);
            }));
      }
      var results = new ArrayList<T>();
      for (Future<T> future : running) {
        results.add(future.get());
      }
      return results;
    }
  }
}

package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WriteQueueTest {
  private static final int CALLERS = 400;

  private final WriteQueue queue = new WriteQueue(CALLERS);

  private static WriteRequest work() {
    return new WriteRequest.Change<>(_ -> MutationResult.none(1), new PendingWrite<Integer>());
  }

  private List<WriteRequest> take() {
    var taken = new ArrayList<WriteRequest>();
    while (taken.isEmpty()) {
      queue.take(taken, CALLERS, TimeUnit.SECONDS.toNanos(1));
    }
    return taken;
  }

  @Test
  void callersThatCanRunJoinTheBatchWhenTheLastOneHadSeveral() throws Exception {
    // Other processes may take the processors from the callers, so the best of some rounds counts.
    int fewest = CALLERS;
    for (int round = 0; round < 5 && fewest >= CALLERS / 20; round++) {
      fewest = Math.min(fewest, batches());
    }
    assertThat(fewest).isLessThan(CALLERS / 20);
  }

  /** Returns the number of batches in which the work of all callers was taken. */
  private int batches() throws InterruptedException {
    assertThat(queue.offer(work())).isTrue();
    assertThat(queue.offer(work())).isTrue();
    assertThat(take()).hasSize(2);

    var batches = new ArrayList<Integer>();
    var waiting = new CountDownLatch(1);
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              waiting.countDown();
              for (int left = CALLERS; left > 0; left -= batches.getLast()) {
                batches.add(take().size());
              }
            });
    waiting.await();
    Thread.ofVirtual()
        .start(() -> {
          for (int i = 0; i < CALLERS; i++) {
            Thread.startVirtualThread(() -> {
              spend();
              assertThat(queue.offer(work())).isTrue();
            });
          }
        });
    writer.join();
    return batches.size();
  }

  /** As a request does before it comes to the queue. */
  private static void spend() {
    long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(50);
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whatIsAddedIsTakenOnceAndNoMoreThanFits() {
    for (int i = 0; i < CALLERS; i++) {
      assertThat(queue.offer(work())).isTrue();
    }
    assertThat(queue.offer(work())).as("it is full").isFalse();
    var taken = new ArrayList<WriteRequest>();
    queue.take(taken, 7, 1);
    assertThat(taken).hasSize(7);
    queue.take(taken, CALLERS, TimeUnit.DAYS.toNanos(1));
    assertThat(taken).hasSize(CALLERS).doesNotHaveDuplicates();
    assertThat(queue.size()).isZero();
  }
}

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
    assertThat(batches).hasSizeLessThan(CALLERS / 20);
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

package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SuspectReadsTest {
  private static final List<String> FLOOD = List.of("2001:db8::1", "2001:db8::2", "2001:db8::3");

  private final SuspectReads reads = new SuspectReads();

  @Test
  @Tag("attack")
  void aFloodFromOneNetworkDoesNotDelayAnother() throws Exception {
    var entered = new CountDownLatch(1);
    var end = new CountDownLatch(1);
    var inside = new AtomicInteger();
    var calls = new ArrayList<Future<Integer>>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String address : FLOOD) {
        calls.add(
            threads.submit(() ->
                reads.inTurn(
                    address,
                    () -> {
                      inside.incrementAndGet();
                      entered.countDown();
                      await(end);
                      return 1;
                    })));
      }
      await(entered);
      // Returns while the flood's first read still waits for the database.
      assertThat(reads.inTurn("192.0.2.1", () -> "found")).isEqualTo("found");
      assertThat(inside).hasValue(1);
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() -> reads.inTurn("2001:db8::4", () -> "found"))
          .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.Unavailable.class));
      end.countDown();
    }
    assertThat(reads.inTurn("2001:db8::4", () -> "found")).isEqualTo("found");
    assertThat(calls).hasSize(FLOOD.size());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.MovableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class RecordIdsTest {
  private final MovableClock clock = new MovableClock();
  private final RecordIds ids = new RecordIds(clock, () -> -1L);

  @Test
  void anIdIsAUuidOfVersion7WithTheMillisecondInFront() {
    UUID id = ids.next();

    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(clock.millis());
  }

  @Test
  void idsGrowWithinAMillisecondAndWhenTheClockGoesBack() {
    String last = ids.nextHex();
    for (int i = 0; i < 10_000; i++) {
      if (i == 5_000) {
        clock.advance(Duration.ofMinutes(-1));
      }
      String next = ids.nextHex();
      assertThat(next).hasSize(32).isGreaterThan(last);
      last = next;
    }
  }

  @Test
  void manyThreadsNeverGetTheSameId() throws Exception {
    Set<UUID> all = new HashSet<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<List<UUID>> task =
          () -> {
            var own = new ArrayList<UUID>();
            for (int i = 0; i < 2_000; i++) {
              own.add(ids.next());
            }
            return own;
          };
      for (var done : threads.invokeAll(List.of(task, task, task, task, task, task, task, task))) {
        all.addAll(done.get());
      }
    }
    assertThat(all).hasSize(16_000);
  }
}

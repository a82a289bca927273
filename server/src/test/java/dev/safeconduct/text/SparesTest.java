package dev.safeconduct.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class SparesTest {
  private static final int CALLERS = 20;
  private static final int CALLS = 100;

  private final Spares<AtomicBoolean> spares = new Spares<>();

  @Test
  void objectThatWasGivenBackIsTakenOnce() {
    var object = new AtomicBoolean();
    spares.giveBack(object);
    assertThat(spares.take()).isSameAs(object);
    assertThat(spares.take()).isNull();
  }

  @Test
  void noObjectHasTwoUsers() throws Exception {
    var made = new AtomicInteger();
    var shared = new AtomicInteger();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < CALLERS; i++) {
      threads.add(
          Thread.startVirtualThread(() -> {
            for (int call = 0; call < CALLS; call++) {
              AtomicBoolean spare = spares.take();
              AtomicBoolean used = spare == null ? new AtomicBoolean() : spare;
              made.addAndGet(spare == null ? 1 : 0);
              shared.addAndGet(used.getAndSet(true) ? 1 : 0);
              LockSupport.parkNanos(1);
              used.set(false);
              spares.giveBack(used);
            }
          }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(shared).hasValue(0);
    assertThat(made).hasValueLessThan(CALLERS * CALLS);
  }
}

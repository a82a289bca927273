package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.net.IpAddress;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Lets callers whose address has failed too often read few at a time, in turn: made-up keys with a
 * right checksum must not occupy the database. Of one network one reads or waits for its turn among
 * the networks, so that a flood from there does not delay a valid key from elsewhere.
 */
final class SuspectReads {
  /** Fewer than the connections to the database, so that others are still served. */
  private static final int MOST = 2;

  private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Semaphore all = new Semaphore(MOST, true);

  /** Each for the networks with the same hash: a bounded number, whoever calls. */
  private final Semaphore[] networks =
      Stream.generate(() -> new Semaphore(1, true)).limit(256).toArray(Semaphore[]::new);

  /**
   * Reads in turn.
   *
   * @throws dev.safeconduct.error.ProblemException 503 when the turn does not come in time
   */
  <T> T inTurn(String address, Supplier<T> read) {
    long deadline = System.nanoTime() + MOST_WAIT_NANOS;
    Semaphore network =
        networks[Math.floorMod(IpAddress.network(address).hashCode(), networks.length)];
    await(network, deadline);
    try {
      await(all, deadline);
      try {
        return read.get();
      } finally {
        all.release();
      }
    } finally {
      network.release();
    }
  }

  private static void await(Semaphore turn, long deadline) {
    try {
      if (turn.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    throw ProblemException.unavailable("The credential cannot be checked now; try again.", 1);
  }
}

package dev.safeconduct.ledger;

import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Generates UUIDv7 ids (RFC 9562 section 5.7), each greater than all earlier ones on this node.
 *
 * <p>The twelve bits after the millisecond count the ids within it (section 6.2, method 1). When
 * they run out, or the clock goes back, the timestamp runs ahead of the clock until it is caught
 * up.
 */
public final class RecordIds {
  private static final int COUNTER_BITS = 12;
  private static final long COUNTER_MASK = (1L << COUNTER_BITS) - 1;
  private static final long VERSION_7 = 0x7000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long RANDOM_MASK = 0x3fff_ffff_ffff_ffffL;

  private final InstantSource clock;
  private final LongSupplier random;

  /** Milliseconds and counter of the last id. */
  private final AtomicLong last = new AtomicLong();

  /**
   * @param random returns 64 random bits per call; must be thread-safe. It keeps the ids of several
   *     nodes distinct, so seed it from the system's entropy.
   */
  public RecordIds(InstantSource clock, LongSupplier random) {
    this.clock = clock;
    this.random = random;
  }

  public UUID next() {
    long now = clock.millis() << COUNTER_BITS;
    long place = last.updateAndGet(previous -> Math.max(previous + 1, now));
    long high = ((place >>> COUNTER_BITS) << 16) | VERSION_7 | (place & COUNTER_MASK);
    return new UUID(high, VARIANT | (random.getAsLong() & RANDOM_MASK));
  }

  /** Returns a new id as 32 lower-case hex digits, for ids with a prefix. */
  public String nextHex() {
    return next().toString().replace("-", "");
  }
}

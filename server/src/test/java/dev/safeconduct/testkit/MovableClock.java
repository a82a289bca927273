package dev.safeconduct.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A clock that only moves when told to, or the real one with a difference. A process in place of
 * the test's classes has it too: {@code src/test/clock} holds the library that it loads then.
 */
public final class MovableClock implements InstantSource {
  private static final long REAL = -1;
  private static final Path LIBRARY = Path.of("target/clock.so");

  private final long stands;
  private volatile Duration moved = Duration.ZERO;
  private @Nullable Path path;
  private @Nullable FileChannel file;

  /** One that stands. */
  public MovableClock() {
    this(Instant.parse("2026-11-21T09:00:00Z").toEpochMilli());
  }

  private MovableClock(long stands) {
    this.stands = stands;
  }

  /** The real time, until it is told to move. */
  public static MovableClock running() {
    return new MovableClock(REAL);
  }

  @Override
  public Instant instant() {
    return (stands == REAL ? Instant.now() : Instant.ofEpochMilli(stands)).plus(moved);
  }

  public void advance(Duration by) {
    later(moved.plus(by));
  }

  /** By how much it differs from now on from where it began. */
  public synchronized void later(Duration difference) {
    moved = difference;
    write();
  }

  /** The environment of a process that has this clock; all of them read one file. */
  synchronized Map<String, String> environment() {
    if (!Files.exists(LIBRARY)) {
      throw new AssertionError(LIBRARY + " is missing; run: bin/test-prerequisites attack");
    }
    Path shown = path;
    if (shown == null) {
      try {
        shown = Files.createTempFile("clock", null);
        shown.toFile().deleteOnExit();
        file = FileChannel.open(shown, StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      path = shown;
      write();
    }
    return Map.of(
        "LD_PRELOAD",
        LIBRARY.toAbsolutePath().toString(),
        "SAFECONDUCT_TEST_CLOCK",
        shown.toString());
  }

  private void write() {
    FileChannel shown = file;
    if (shown != null) {
      ByteBuffer numbers = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
      numbers.putLong(stands).putLong(moved.toMillis()).flip();
      try {
        shown.write(numbers, 0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

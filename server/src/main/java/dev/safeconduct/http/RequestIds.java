package dev.safeconduct.http;

import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Request ids: the caller's own if it matches {@code [A-Za-z0-9._:-]{1,128}}, else {@code req_} and
 * 32 hex digits. These are 64 bits of this process, then a counter spread over 64 bits.
 */
final class RequestIds {
  private static final int MAX_LENGTH = 128;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final String prefix;
  private final AtomicLong counter;

  /**
   * Creates the source of ids.
   *
   * @param seed random, so that two nodes never make the same id
   */
  RequestIds(long seed, long start) {
    this.prefix = "req_" + HexFormat.of().toHexDigits(seed);
    this.counter = new AtomicLong(start);
  }

  String of(@Nullable String offered) {
    return offered != null && fits(offered)
        ? offered
        : prefix + HexFormat.of().toHexDigits(mix(counter.addAndGet(GOLDEN)));
  }

  private static boolean fits(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!word && c != '.' && c != '_' && c != ':' && c != '-') {
        return false;
      }
    }
    return true;
  }

  /** The finalizer of SplitMix64: a bijection, so two counts never collide. */
  private static long mix(long count) {
    long z = (count ^ (count >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

package dev.safeconduct.http2;

import java.util.Arrays;

/**
 * Octets of a body between the frames they came in and whoever reads them. It takes no more memory
 * than octets are in it, however small the frames were.
 */
final class BodyBuffer {
  private static final byte[] NONE = {};

  private byte[] bytes = NONE;
  private int from;
  private int size;

  int size() {
    return size;
  }

  void add(byte[] more, int at, int length) {
    if (from + size + length > bytes.length) {
      byte[] grown =
          size + length > bytes.length
              ? new byte[Math.max(size + length, Math.min(2 * bytes.length, 1 << 18))]
              : bytes;
      System.arraycopy(bytes, from, grown, 0, size);
      bytes = grown;
      from = 0;
    }
    System.arraycopy(more, at, bytes, from + size, length);
    size += length;
  }

  int take(byte[] into, int at, int most) {
    int count = Math.min(most, size);
    System.arraycopy(bytes, from, into, at, count);
    from += count;
    size -= count;
    if (size == 0) {
      from = 0;
    }
    return count;
  }

  /** Throws everything away. */
  int clear() {
    int count = size;
    bytes = Arrays.copyOf(NONE, 0);
    from = 0;
    size = 0;
    return count;
  }
}

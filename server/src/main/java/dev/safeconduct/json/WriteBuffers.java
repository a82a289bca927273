package dev.safeconduct.json;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** Buffers that are written again and again, because each decision writes several documents. */
final class WriteBuffers {
  /** Longer than the answer to a usual request. */
  private static final int USUAL = 4 << 10;

  private static final int MOST_KEPT = 32 << 10;

  private static final AtomicReferenceArray<byte[]> FREE = new AtomicReferenceArray<>(16);

  private WriteBuffers() {}

  static byte[] take() {
    int last = FREE.length() - 1;
    int first = (int) Thread.currentThread().threadId();
    for (int i = 0; i < 4; i++) {
      byte[] free = FREE.getAndSet((first + i) & last, null);
      if (free != null) {
        return free;
      }
    }
    return new byte[USUAL];
  }

  /** {@code buffer} is not used by its last owner any more. */
  static void giveBack(byte[] buffer) {
    if (buffer.length >= USUAL && buffer.length <= MOST_KEPT) {
      int last = FREE.length() - 1;
      int first = (int) Thread.currentThread().threadId();
      for (int i = 0; i < 4; i++) {
        if (FREE.compareAndSet((first + i) & last, null, buffer)) {
          return;
        }
      }
    }
  }
}

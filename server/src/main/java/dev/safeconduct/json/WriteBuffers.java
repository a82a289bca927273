package dev.safeconduct.json;

import dev.safeconduct.text.Spares;

/**
 * The buffers of writers that are not in use. A request writes four to six texts of about 1 KB, and
 * new buffers for them would be a quarter of what it allocates.
 */
final class WriteBuffers {
  /** Longer than the answer to a usual request. */
  private static final int USUAL = 4 << 10;

  private static final int MOST_KEPT = 32 << 10;

  private static final Spares<byte[]> SPARES = new Spares<>();

  private WriteBuffers() {}

  static byte[] take() {
    byte[] free = SPARES.take();
    return free == null ? new byte[USUAL] : free;
  }

  /** {@code buffer} is not used by its last owner any more. */
  static void giveBack(byte[] buffer) {
    if (buffer.length >= USUAL && buffer.length <= MOST_KEPT) {
      SPARES.giveBack(buffer);
    }
  }
}

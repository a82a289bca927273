package dev.safeconduct.http2;

/**
 * Bounds what a client may make us do for nothing: requests taken back before they are answered,
 * pings, settings, empty frames. A thousand points at once, a hundred more each second.
 */
final class Patience {
  /** A frame that only wants to be read. */
  static final int LITTLE = 1;

  /** A request begun in vain: taken back, refused, or malformed. */
  static final int MUCH = 10;

  private static final int MOST = 1000;
  private static final long NANOS_A_POINT = 10_000_000;

  private long points = MOST;
  private long since = System.nanoTime();

  /**
   * @throws ConnectionFault when there is none left
   */
  void spend(int cost) throws ConnectionFault {
    if (points < cost) {
      long earned = (System.nanoTime() - since) / NANOS_A_POINT;
      since += earned * NANOS_A_POINT;
      points = Math.min(MOST, points + earned);
    }
    points -= cost;
    if (points < 0) {
      throw new ConnectionFault(
          ErrorCode.ENHANCE_YOUR_CALM, "Too many frames that lead to no answer");
    }
  }
}

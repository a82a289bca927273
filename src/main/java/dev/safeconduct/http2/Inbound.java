package dev.safeconduct.http2;

/** The window we give the client for the whole connection; wants the connection's lock held. */
final class Inbound {
  /** What all bodies of a connection may have on the way or unread. */
  static final int CONNECTION_WINDOW = 1 << 20;

  /** What one body may. */
  static final int STREAM_WINDOW = 1 << 18;

  private final Outbound outbound;
  private int window = Outbound.DEFAULT_WINDOW;
  private int used;

  Inbound(Outbound outbound) {
    this.outbound = outbound;
  }

  /** Widens the window to what we want; section 6.9.2 starts every connection with less. */
  void open() {
    outbound.widened(0, CONNECTION_WINDOW - window);
    window = CONNECTION_WINDOW;
  }

  /**
   * Octets have come.
   *
   * @throws ConnectionFault when the client had no leave to send as many
   */
  void came(int octets) throws ConnectionFault {
    window -= octets;
    if (window < 0) {
      throw new ConnectionFault(ErrorCode.FLOW_CONTROL_ERROR, "The window is exceeded");
    }
  }

  /** Octets are read or thrown away: the client may send as many more, and is told now and then. */
  void done(int octets) {
    used += octets;
    if (used >= CONNECTION_WINDOW / 4) {
      window += used;
      outbound.widened(0, used);
      used = 0;
    }
  }
}

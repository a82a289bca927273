package dev.safeconduct.audit.stream;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The other end of a stream. One thread uses it; {@link #close} may come from another. */
interface StreamReceiver extends AutoCloseable {
  /**
   * Records that the receiver has taken none of, although it accepted the request.
   *
   * @param records how many of those that were sent
   */
  record Rejection(long records, String answer) {}

  /**
   * Sends records, in order, and connects first if necessary.
   *
   * @return what it took none of; sending that again is of no use
   * @throws StreamException when the receiver refuses these records
   * @throws IOException when it cannot be reached
   */
  Optional<Rejection> send(List<StreamRecord> records) throws IOException;

  /**
   * Waits until the receiver has confirmed everything that was sent.
   *
   * @throws IOException when it has not
   */
  void confirm() throws IOException;

  /** How long unconfirmed records may collect, because a confirmation has its price. */
  Duration confirmEvery();

  /**
   * Notices that the receiver has ended the connection, without waiting.
   *
   * @throws IOException when it has
   */
  void check() throws IOException;

  /** Ends the connection and what waits for it; the next {@link #send} connects again. */
  @Override
  void close();
}

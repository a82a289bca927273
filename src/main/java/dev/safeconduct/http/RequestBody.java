package dev.safeconduct.http;

import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The body of one request and how much of it has been read. */
final class RequestBody {
  private static final byte[] EMPTY = {};

  /** An unread body up to this size is skipped to keep the connection; more costs us too much. */
  private static final int SKIPPED_BYTES = 1 << 20;

  private final Call call;
  private byte[] bytes = EMPTY;
  private long reserved;
  private boolean complete;
  private @Nullable InputStream stream;

  RequestBody(Call call) {
    this.call = call;
  }

  Headers headers() {
    return call.headers();
  }

  /** Whether the request has a body at all; a chunked one may turn out to be empty. */
  boolean isSent() {
    return call.hasBody();
  }

  /** Content-Length, or -1 for a chunked body. */
  long declaredLength() {
    return call.headers().contentLength().orElse(-1);
  }

  /** The rest of the body; the same stream at every call, for the library gives it only once. */
  InputStream stream() {
    InputStream open = stream;
    if (open == null) {
      open = call.body();
      stream = open;
    }
    return open;
  }

  /** The whole body has been read, but perhaps not its end. */
  void complete(byte[] all) throws IOException {
    if (call.inTurn()) {
      stream().read(); // else the library looks for a rest, with a buffer it makes for that
    }
    bytes = all;
    complete = true;
  }

  byte[] bytes() {
    return bytes;
  }

  /** How much of it is read without room in the budget for large ones, in bytes. */
  int freeBytes() {
    return call.freeBodyBytes();
  }

  /** What the body holds of the budget for large ones, in bytes. */
  long reserved() {
    return reserved;
  }

  void reserved(long held) {
    reserved = held;
  }

  /** Whether so much is unread, or may be, that the connection cannot go on to another request. */
  boolean spoilsConnection() {
    if (complete || !isSent()) {
      return false;
    }
    long declared = declaredLength();
    return stream != null || declared < 0 || declared > SKIPPED_BYTES || isAwaitingContinue();
  }

  /** Throws away what the client still sends; one that waits for leave to send is left waiting. */
  void drain() {
    if (stream != null || !isAwaitingContinue()) {
      InputStream rest = stream();
      byte[] buffer = new byte[16 << 10];
      Linger.drain(() -> rest.read(buffer));
    }
  }

  private boolean isAwaitingContinue() {
    return headers().containsToken(HeaderValues.EXPECT_100);
  }
}

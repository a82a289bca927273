package dev.safeconduct.http;

import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.RequestHeaders;
import java.io.InputStream;

/** The body of one request, and the state of its reading. */
final class RequestBody {
  private static final byte[] EMPTY = {};

  private final Call call;
  private byte[] bytes = EMPTY;
  private long reserved;

  RequestBody(Call call) {
    this.call = call;
  }

  RequestHeaders headers() {
    return call.headers();
  }

  /** Returns whether the request has a body at all; a chunked one may turn out to be empty. */
  boolean isSent() {
    return call.hasBody();
  }

  /** Returns the Content-Length, or -1 for a chunked body. */
  long declaredLength() {
    return call.bodyLength();
  }

  InputStream stream() {
    return call.body();
  }

  /** Stores the whole body after it has been read. */
  void complete(byte[] all) {
    bytes = all;
  }

  byte[] bytes() {
    return bytes;
  }

  /**
   * Returns the size that is read without a reservation in the budget for large bodies, in bytes.
   */
  int freeBytes() {
    return call.freeBodyBytes();
  }

  /** Returns the body's reservation in the budget for large bodies, in bytes. */
  long reserved() {
    return reserved;
  }

  void reserved(long held) {
    reserved = held;
  }
}

package dev.safeconduct.http.server;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** One request and its response, for any version of HTTP; for its thread only. */
public interface Call {
  String method();

  /** Returns the path as it was sent, without the query. */
  String path();

  /** Returns the query as it was sent, without the question mark; empty without one. */
  String query();

  RequestHeaders headers();

  InetSocketAddress peer();

  /** Returns whether a body follows; it may turn out to be empty. */
  boolean hasBody();

  /** Returns the body's declared length in bytes, or -1 without one. */
  long bodyLength();

  /**
   * Returns the body; the same stream at every call. Reading throws {@link MalformedBodyException}
   * when the client breaks the framing, and another {@link java.io.IOException} when it disconnects
   * or stops sending.
   */
  InputStream body();

  /**
   * Returns the size that is read without a reservation in the budget of large bodies, in bytes.
   */
  int freeBodyBytes();

  /** Returns the headers of the response, to be set before it is sent. */
  ResponseHeaders responseHeaders();

  /**
   * Sends the response; returns when the body is not read any more.
   *
   * @throws ConnectionLostException when the client no longer reads
   */
  void send(int status, ByteBuffer body);

  /**
   * Sends the headers of a response without its body: to {@code HEAD}, or 304.
   *
   * @throws ConnectionLostException when the client no longer reads
   */
  void sendHeaders(int status);

  /**
   * Begins a response of unknown length. Closing the stream ends it properly; a response that is
   * not closed ends with its connection or stream.
   */
  OutputStream stream(int status);
}

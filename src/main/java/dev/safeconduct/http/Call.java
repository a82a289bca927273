package dev.safeconduct.http;

import io.helidon.http.Headers;
import io.helidon.http.ServerResponseHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketAddress;

/** One request and the way to answer it, whatever version of HTTP it came by. */
interface Call {
  String method();

  /** As it was sent, without the query. */
  String path();

  /** As it was sent, without the question mark; empty without one. */
  String query();

  Headers headers();

  SocketAddress peer();

  /** The peer in words, for what is no internet address. */
  String peerName();

  /** Whether a body follows; it may turn out to be empty. */
  boolean hasBody();

  /** The body; to be called once. */
  InputStream body();

  /** How much of a body is read without room in the budget of large ones, in bytes. */
  int freeBodyBytes();

  /**
   * Whether the connection serves one request after the other, so that what is unread of one stands
   * before the next, and the connection may have to end with an answer.
   */
  boolean inTurn();

  /** Those of the answer, to be set before it is sent. */
  ServerResponseHeaders answerHeaders();

  /** Answers without a body. */
  void send(int status);

  void send(int status, byte[] body);

  /** Starts an answer whose length is not known; closing the stream ends it properly. */
  OutputStream stream(int status);

  /** Sees to it that a closed stream's last bytes are sent. */
  void streamed() throws IOException;
}

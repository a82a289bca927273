package dev.safeconduct.gateway.front;

import java.io.IOException;
import java.util.Map;

/** Where the answer to one HTTP request is written. */
interface Sink {
  /** Writes the whole answer. */
  void send(int status, Map<String, String> headers, byte[] json) throws IOException;

  /** Starts a stream of server-sent events. */
  void open(Map<String, String> headers) throws IOException;

  /** Writes a part of the stream at once. */
  void write(byte[] event) throws IOException;

  /** Ends the stream. */
  void end();
}

package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.LineReader;
import dev.safeconduct.gateway.rpc.LineWriter;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A client over the standard streams of this process. */
public final class StdioFront {
  /** How long requests may still take when the client has closed its stream. */
  private static final Duration DRAIN_TIME = Duration.ofSeconds(10);

  private final LineReader in;
  private final LineWriter out;

  /** Takes the streams; {@code out} is for messages alone. */
  public StdioFront(InputStream in, LineWriter out, int maxMessageBytes) {
    this.in = new LineReader(in, maxMessageBytes);
    this.out = out;
  }

  /**
   * Serves the client until it closes its stream and its requests have their responses.
   *
   * @throws IOException if the stream cannot be read
   */
  public void run(Session session) throws IOException, InterruptedException {
    for (byte[] line = in.read(); line != null; line = in.read()) {
      if (line.length > 0) {
        Message message = parse(line);
        if (message != null) {
          session.receive(message, Forwarded.none(), this::answer);
        }
      }
      out.awaitRoom();
    }
    boolean _ = session.awaitIdle(DRAIN_TIME);
  }

  /** A server that answers faster than the client reads has to wait. */
  private void answer(Message message) {
    out.write(message);
    try {
      out.awaitRoom();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable Message parse(byte[] line) {
    if (in.isCut()) {
      out.write(
          Message.error(
              null, RpcError.of(RpcError.INVALID_REQUEST, "The message is longer than allowed.")));
      return null;
    }
    try {
      return Message.parse(line);
    } catch (InvalidMessage e) {
      out.write(e.response());
      return null;
    }
  }
}

package dev.safeconduct.http2;

import java.io.IOException;
import java.util.Optional;

/** Does what frames want that carry nothing of a request; wants the connection's lock held. */
final class ControlFrames {
  static final int ENABLE_PUSH = 2;
  static final int MAX_CONCURRENT_STREAMS = 3;
  static final int INITIAL_WINDOW_SIZE = 4;
  static final int MAX_FRAME_SIZE = 5;
  static final int MAX_HEADER_LIST_SIZE = 6;

  private static final int MAX_MAX_FRAME_SIZE = (1 << 24) - 1;
  private static final byte[] NOTHING = {};

  private final Outbound outbound;
  private final Patience patience;
  private final Streams streams;

  ControlFrames(Streams streams, Patience patience) {
    this.outbound = streams.outbound();
    this.patience = patience;
    this.streams = streams;
  }

  /**
   * @param idle whether the frame's stream was never opened
   */
  void take(Frame frame, boolean idle) throws IOException, ConnectionFault {
    switch (frame.type()) {
      case Frame.SETTINGS -> settings(frame);
      case Frame.PING -> ping(frame);
      case Frame.WINDOW_UPDATE -> windowUpdate(frame, idle);
      case Frame.RST_STREAM -> reset(frame, idle);
      case Frame.PRIORITY -> {
        demand(frame.length() == 5);
        demandStream(frame, frame.stream() != 0);
        patience.spend(Patience.LITTLE);
      }
      default -> patience.spend(Patience.LITTLE); // Unknown ones are ignored (section 5.5).
    }
  }

  private void settings(Frame frame) throws IOException, ConnectionFault {
    demandStream(frame, frame.stream() == 0);
    demand(frame.has(Frame.ACK) ? frame.length() == 0 : frame.length() % 6 == 0);
    patience.spend(Patience.LITTLE);
    if (frame.has(Frame.ACK)) {
      return;
    }
    for (int i = 0; i < frame.length(); i += 6) {
      int which = ((frame.payload()[i] & 0xff) << 8) | (frame.payload()[i + 1] & 0xff);
      apply(which, frame.number(i + 2));
    }
    outbound.acknowledge(Frame.SETTINGS, NOTHING);
    outbound.flush();
  }

  private void apply(int setting, long value) throws ConnectionFault {
    switch (setting) {
      case ENABLE_PUSH -> {
        if (value > 1) {
          throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "ENABLE_PUSH is 0 or 1");
        }
      }
      case INITIAL_WINDOW_SIZE -> {
        boolean fits = value <= Outbound.MAX_WINDOW;
        long more = value - outbound.streamWindow();
        for (Http2Stream stream : streams.all()) {
          fits &= stream.widen(more);
        }
        if (!fits) {
          throw new ConnectionFault(ErrorCode.FLOW_CONTROL_ERROR, "A window is too large");
        }
        outbound.streamWindow(value);
      }
      case MAX_FRAME_SIZE -> {
        if (value < FrameReader.MAX_PAYLOAD || value > MAX_MAX_FRAME_SIZE) {
          throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "No frame size");
        }
        outbound.maxPayload((int) value);
      }
      default -> {
        // Nothing we send depends on the others, and unknown ones are to be ignored.
      }
    }
  }

  private void ping(Frame frame) throws IOException, ConnectionFault {
    demandStream(frame, frame.stream() == 0);
    demand(frame.length() == 8);
    patience.spend(Patience.LITTLE);
    if (!frame.has(Frame.ACK)) {
      outbound.acknowledge(Frame.PING, frame.payload());
      outbound.flush();
    }
  }

  private void windowUpdate(Frame frame, boolean idle) throws IOException, ConnectionFault {
    demand(frame.length() == 4);
    long more = frame.number(0) & Outbound.MAX_WINDOW;
    if (frame.stream() == 0) {
      demandStream(frame, more > 0);
      if (!outbound.widen(more)) {
        throw new ConnectionFault(ErrorCode.FLOW_CONTROL_ERROR, "The window is too large");
      }
      streams.all().forEach(Http2Stream::windowsChanged);
      return;
    }
    demandStream(frame, !idle);
    Optional<Http2Stream> stream = streams.find(frame.stream()); // It may just have ended.
    if (stream.isPresent() && (more == 0 || !stream.get().widen(more))) {
      patience.spend(Patience.MUCH);
      stream
          .get()
          .fail(
              more == 0 ? ErrorCode.PROTOCOL_ERROR : ErrorCode.FLOW_CONTROL_ERROR,
              "The client's window is none");
    }
  }

  private void reset(Frame frame, boolean idle) throws ConnectionFault {
    demand(frame.length() == 4);
    demandStream(frame, frame.stream() != 0 && !idle);
    Optional<Http2Stream> stream = streams.find(frame.stream());
    boolean inVain = stream.filter(s -> !s.isAnswered()).isPresent();
    patience.spend(inVain ? Patience.MUCH : Patience.LITTLE);
    stream.ifPresent(s -> s.over("The client has taken its request back"));
  }

  static void demandStream(Frame frame, boolean right) throws ConnectionFault {
    if (!right) {
      throw new ConnectionFault(
          ErrorCode.PROTOCOL_ERROR, "Frame " + frame.type() + " on a wrong stream");
    }
  }

  static void demand(boolean length) throws ConnectionFault {
    if (!length) {
      throw new ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame has a wrong length");
    }
  }
}

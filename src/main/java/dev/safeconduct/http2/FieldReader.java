package dev.safeconduct.http2;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Reads the fields of a request from as many frames as they came in (RFC 9113 section 6.10). */
final class FieldReader {
  private static final int MAX_BLOCK = 64 << 10;
  private static final int MAX_CONTINUATIONS = 64;

  private final FrameReader frames;
  private final FieldDecoder decoder = new FieldDecoder();

  FieldReader(FrameReader frames) {
    this.frames = frames;
  }

  /**
   * The fields that start with this frame.
   *
   * @throws ConnectionFault for too many of them, or other frames between them
   */
  FieldDecoder.Fields read(Frame first) throws IOException, ConnectionFault {
    if (first.stream() == 0) {
      throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A request has a stream");
    }
    var block = new ByteArrayOutputStream();
    block.write(first.payload(), first.from(), first.to() - first.from());
    Frame frame = first;
    frames.expectMore(true);
    for (int i = 0; !frame.has(Frame.END_HEADERS); i++) {
      frame = frames.next().orElse(first);
      if (frame.type() != Frame.CONTINUATION || frame.stream() != first.stream()) {
        throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "The fields are cut short");
      }
      block.write(frame.payload(), 0, frame.length());
      if (block.size() > MAX_BLOCK || i > MAX_CONTINUATIONS) {
        throw new ConnectionFault(ErrorCode.ENHANCE_YOUR_CALM, "A request has too many fields");
      }
    }
    frames.expectMore(false);
    return decoder.decode(block.toByteArray(), block.size());
  }
}

package dev.safeconduct.http2;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one HTTP/2 connection. One thread, the one that calls {@link #serve}, reads
 * frames; each request is served by a virtual thread of its own.
 *
 * <p>Bounds: {@value #MAX_STREAMS} requests at once, those counted that were taken back and are
 * still being served; 256 KiB of unread body a request and 1 MiB a connection; 32 KiB of fields a
 * request; {@link Patience} for all that leads to no answer. Clients that stop in the middle of
 * something are ended by {@link #sweep}.
 */
public final class Http2Connection {
  private static final int MAX_STREAMS = 128;
  private static final int STALLED_TICKS = 6;
  private static final long LAST_WORDS_MILLIS = 500;

  private final FrameReader reader;
  private final Outbound outbound;
  private final Inbound inbound;
  private final Streams streams;
  private final Consumer<Http2Stream> server;
  private final FieldReader fields;
  private final Patience patience = new Patience();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ControlFrames control;
  private volatile boolean ending;
  private volatile @Nullable Thread thread;
  private int lastStream;
  private boolean goingAway;

  /**
   * @param server serves one request in a thread of its own, and may fail: the stream is then reset
   */
  public Http2Connection(InputStream in, OutputStream out, Consumer<Http2Stream> server) {
    this.reader = new FrameReader(in, this::tick);
    this.fields = new FieldReader(reader);
    this.outbound = new Outbound(out, this::tick);
    this.inbound = new Inbound(outbound);
    this.streams = new Streams(outbound, inbound, this::endIfEmpty);
    this.control = new ControlFrames(streams, patience);
    this.server = server;
  }

  /**
   * Serves until either side ends the connection; requests that are then unanswered fail.
   *
   * @return whether the client is to blame for the end, and perhaps still sends
   */
  public boolean serve() throws IOException {
    thread = Thread.currentThread();
    try {
      greet();
      reader.readPreface();
      Optional<Frame> frame = reader.next();
      if (frame.isPresent() && frame.get().type() != Frame.SETTINGS) {
        throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "Settings have to come first");
      }
      while (frame.isPresent() && !ending) {
        take(frame.get());
        frame = reader.next();
      }
      return false;
    } catch (ConnectionFault e) {
      sayGoodBye(e.code());
      return true;
    } finally {
      end();
    }
  }

  private void greet() throws IOException {
    outbound.enter();
    try {
      outbound.settings(
          ControlFrames.MAX_CONCURRENT_STREAMS,
          MAX_STREAMS,
          ControlFrames.INITIAL_WINDOW_SIZE,
          Inbound.STREAM_WINDOW,
          ControlFrames.MAX_HEADER_LIST_SIZE,
          FieldDecoder.MAX_LIST);
      inbound.open();
      outbound.flush();
    } finally {
      outbound.leave();
    }
  }

  private void take(Frame frame) throws IOException, ConnectionFault {
    if (frame.type() == Frame.HEADERS) {
      headers(frame);
      return;
    }
    outbound.enter();
    try {
      boolean idle = frame.stream() > lastStream && !goingAway;
      switch (frame.type()) {
        case Frame.DATA -> data(frame, idle);
        case Frame.CONTINUATION, Frame.PUSH_PROMISE ->
            throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "This frame has no place here");
        case Frame.GOAWAY -> {
          ControlFrames.demandStream(frame, frame.stream() == 0);
          ControlFrames.demand(frame.length() >= 8);
          goingAway = true;
          endIfEmpty();
        }
        default -> control.take(frame, idle);
      }
    } finally {
      outbound.leave();
    }
  }

  private void data(Frame frame, boolean idle) throws IOException, ConnectionFault {
    if (frame.stream() == 0 || idle) {
      throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A body without a request");
    }
    frame.to();
    inbound.came(frame.length());
    Optional<Http2Stream> stream = streams.find(frame.stream());
    if (stream.isEmpty() || (frame.length() == 0 && !frame.has(Frame.END_STREAM))) {
      patience.spend(Patience.LITTLE);
    }
    if (stream.isEmpty()) {
      inbound.done(frame.length());
      boolean _ = frame.stream() > lastStream || streams.cameLate(frame.stream());
      outbound.flush();
    } else if (!stream.get().came(frame)) {
      patience.spend(Patience.MUCH);
    }
  }

  private void headers(Frame first) throws IOException, ConnectionFault {
    FieldDecoder.Fields sent = fields.read(first);
    int id = first.stream();
    boolean last = first.has(Frame.END_STREAM);
    outbound.enter();
    try {
      if (id % 2 == 0) {
        throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "The client's streams are odd");
      }
      Optional<Http2Stream> known = streams.find(id);
      if (known.isPresent()) {
        if (!known.get().trailersCame(last && RequestHead.areTrailers(sent))) {
          patience.spend(Patience.MUCH);
        }
      } else if (id <= lastStream) {
        patience.spend(Patience.LITTLE);
        streams.fieldsCameLate(id);
      } else if (goingAway) {
        patience.spend(Patience.LITTLE);
      } else {
        lastStream = id;
        request(id, sent, last);
      }
    } finally {
      outbound.leave();
    }
  }

  private void request(int id, FieldDecoder.Fields sent, boolean last)
      throws IOException, ConnectionFault {
    Optional<RequestHead> head = RequestHead.of(sent).filter(h -> !last || h.declaredLength() <= 0);
    if (head.isEmpty() || streams.size() >= MAX_STREAMS) {
      patience.spend(Patience.MUCH);
      streams.reset(id, head.isEmpty() ? ErrorCode.PROTOCOL_ERROR : ErrorCode.REFUSED_STREAM);
      outbound.flush();
      return;
    }
    var stream = new Http2Stream(id, head.get(), !last, streams);
    streams.add(stream);
    Thread.ofVirtual().name("http2-", id).start(() -> serve(stream));
  }

  private void serve(Http2Stream stream) {
    try {
      server.accept(stream);
    } finally {
      stream.finish();
    }
  }

  /**
   * Takes no new requests, tells the client so, and ends the connection when all are answered (RFC
   * 9113 section 6.8).
   */
  public void drain() {
    Thread.ofVirtual()
        .start(() -> {
          sayGoodBye(ErrorCode.NO_ERROR);
          outbound.enterAnyway();
          try {
            endIfEmpty();
          } finally {
            outbound.leave();
          }
        });
  }

  private void sayGoodBye(ErrorCode code) {
    outbound.enterAnyway();
    try {
      if (!goingAway || code != ErrorCode.NO_ERROR) {
        goingAway = true;
        outbound.goAway(lastStream, code);
        outbound.flush();
      }
    } catch (IOException _) {
      // The client went first.
    } finally {
      outbound.leave();
    }
  }

  /** Gives the client a moment to read our last words and to end the connection itself. */
  private void endIfEmpty() {
    if (!goingAway || streams.size() > 0 || ending) {
      return;
    }
    ending = true;
    Thread.ofVirtual()
        .start(() -> {
          try {
            if (!over.await(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)) {
              abort();
            }
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Ends the connection at once: its threads are interrupted, which closes the socket below. */
  public void abort() {
    outbound.abort();
    Thread reading = thread;
    if (reading != null) {
      reading.interrupt();
    }
  }

  private void end() {
    outbound.enterAnyway();
    try {
      goingAway = true;
      for (Http2Stream stream : streams.all()) {
        stream.over("The client went away");
      }
    } finally {
      outbound.leave();
      thread = null;
      over.countDown();
    }
  }

  /**
   * Ends what has stopped: the connection, when the client has stopped in the middle of a frame or
   * reads nothing of what we send; a request that sends nothing more. To be called every few
   * seconds, and never blocks.
   */
  public void sweep() {
    streams.nextTick();
    if (reader.isStalled(STALLED_TICKS) || outbound.isStalled(STALLED_TICKS)) {
      abort();
    } else if (!streams.isEmpty()) {
      Thread.ofVirtual().start(this::sweepStreams);
    }
  }

  private void sweepStreams() {
    outbound.enterAnyway();
    try {
      for (Http2Stream stream : streams.all()) {
        stream.sweep();
      }
    } catch (IOException _) {
      // The client is gone; the reader will see it.
    } finally {
      outbound.leave();
    }
  }

  private int tick() {
    return streams.tick();
  }

  /** For how long no request has been open. */
  public Duration idleTime() {
    return streams.idleTime();
  }
}

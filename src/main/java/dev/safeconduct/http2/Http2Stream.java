package dev.safeconduct.http2;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer. Whoever serves it reads the body, answers once, and may do so before
 * the body has come: what the client still sends is then thrown away for a while, so that it sees
 * its answer, and ended (RFC 9113 section 8.1).
 *
 * <p>Everything of it is under the connection's lock.
 */
public final class Http2Stream {
  private static final List<Field> CONTINUE = List.of(new Field(":status", "100"));
  private static final int NOT_TAKEN_TICKS = 6;

  private final int id;
  private final RequestHead head;
  private final Streams streams;
  private final Outbound outbound;
  private final Condition changed;
  private final boolean withBody;
  private final Upload upload;
  private long sendWindow;
  private int waitingSince;
  private boolean awaitsContinue;
  private boolean answerDone;
  private boolean served;
  private @Nullable String failure;

  Http2Stream(int id, RequestHead head, boolean withBody, Streams streams) {
    this.id = id;
    this.head = head;
    this.withBody = withBody;
    this.streams = streams;
    this.upload = new Upload(id, head.declaredLength(), !withBody, streams);
    this.outbound = streams.outbound();
    this.changed = outbound.condition();
    this.sendWindow = outbound.streamWindow();
    this.awaitsContinue =
        withBody && head.first("expect").filter("100-continue"::equalsIgnoreCase).isPresent();
  }

  public RequestHead head() {
    return head;
  }

  /** Whether a body follows the head; it may turn out to be empty. */
  public boolean hasBody() {
    return withBody;
  }

  /** The body, unbuffered. It fails when the client takes the request back, stalls or goes away. */
  public InputStream body() {
    return new StreamBody(this);
  }

  /**
   * Answers with a body that is known.
   *
   * @throws IOException when the client no longer wants it or takes nothing of it for half a minute
   */
  public void answer(List<Field> fields, byte[] body) throws IOException {
    outbound.enter();
    try {
      demandWanted();
      outbound.fields(id, fields, body.length == 0);
      if (body.length == 0) {
        outbound.flush();
        end();
      } else {
        send(body, 0, body.length, true);
      }
    } finally {
      outbound.leave();
    }
  }

  /**
   * Starts an answer whose body is written in parts.
   *
   * @throws IOException when the client no longer wants it
   */
  public void begin(List<Field> fields) throws IOException {
    outbound.enter();
    try {
      demandWanted();
      outbound.fields(id, fields, false);
      outbound.flush();
    } finally {
      outbound.leave();
    }
  }

  /**
   * Sends a part of the body; with none and {@code last} only its end.
   *
   * @throws IOException when the client no longer wants it or takes nothing of it for half a minute
   */
  public void write(byte[] bytes, int from, int length, boolean last) throws IOException {
    outbound.enter();
    try {
      demandWanted();
      send(bytes, from, length, last);
    } finally {
      outbound.leave();
    }
  }

  private void send(byte[] bytes, int from, int length, boolean last) throws IOException {
    int at = from;
    int left = length;
    do {
      int count = left == 0 ? 0 : Math.min(left, awaitRoom());
      boolean end = last && count == left;
      sendWindow -= count;
      outbound.data(id, bytes, at, count, end);
      outbound.flush();
      at += count;
      left -= count;
      if (end) {
        end();
      } else if (left > 0) {
        outbound.giveWay();
        demandWanted();
      }
    } while (left > 0);
  }

  private int awaitRoom() throws IOException {
    waitingSince = streams.tick();
    try {
      while (outbound.room(sendWindow) <= 0) {
        outbound.flush();
        demandWanted();
        changed.await();
      }
    } catch (InterruptedException e) {
      throw Outbound.interrupted(e);
    } finally {
      waitingSince = 0;
    }
    demandWanted();
    return outbound.room(sendWindow);
  }

  private void demandWanted() throws IOException {
    if (failure != null) {
      throw new IOException(failure);
    }
    if (answerDone) {
      throw new IllegalStateException("this stream has been answered");
    }
  }

  /** The answer is out; what still comes of the request is thrown away. */
  private void end() throws IOException {
    answerDone = true;
    if (upload.isDone()) {
      streams.remove(this);
    } else {
      upload.dismissAll();
      outbound.flush();
    }
  }

  int id() {
    return id;
  }

  boolean isAnswered() {
    return answerDone;
  }

  /** Its server is done with it, with or without an answer. */
  void finish() {
    outbound.enterAnyway();
    try {
      served = true;
      if (failure != null) {
        streams.remove(this);
      } else if (!answerDone) {
        fail(ErrorCode.INTERNAL_ERROR, "There is no answer");
      }
    } catch (IOException _) {
      streams.remove(this); // The client is gone.
    } finally {
      outbound.leave();
    }
  }

  /** A part of the body came; whether the client had leave to send it. */
  boolean came(Frame frame) throws ConnectionFault, IOException {
    if (failure != null) {
      streams.inbound().done(frame.length());
      return streams.cameLate(id);
    }
    return went(upload.came(frame));
  }

  /**
   * Fields after the body came; whether they were allowed.
   *
   * @param fit whether they end the request and are such as may
   */
  boolean trailersCame(boolean fit) throws IOException {
    return failure == null ? went(upload.trailersCame(fit)) : streams.cameLate(id);
  }

  private boolean went(Optional<ErrorCode> fault) throws IOException {
    if (fault.isPresent()) {
      fail(fault.get(), "The client sent what it must not");
      return fault.get() == ErrorCode.NO_ERROR;
    }
    if (answerDone && upload.isDone()) {
      streams.remove(this);
    }
    changed.signalAll();
    outbound.flush();
    return true;
  }

  /** Adds to what the client lets us send; false when it becomes more than a window can be. */
  boolean widen(long octets) {
    sendWindow += octets;
    changed.signalAll();
    return sendWindow <= Outbound.MAX_WINDOW;
  }

  void windowsChanged() {
    changed.signalAll();
  }

  /** Ends the stream, and tells the client why. */
  void fail(ErrorCode code, String why) throws IOException {
    if (failure == null) {
      streams.reset(id, code);
      over(why);
      outbound.flush();
    }
  }

  /** The stream has ended without our doing: it was taken back, or its connection is over. */
  void over(String why) {
    if (failure == null) {
      failure = why;
      upload.forget();
      changed.signalAll();
      if (served || answerDone) {
        streams.remove(this);
      }
    }
  }

  /**
   * Ends a request that has stopped in the middle, whose rest was thrown away for long enough, or
   * whose answer the client does not let us send.
   */
  void sweep() throws IOException {
    Optional<ErrorCode> overdue = upload.overdue();
    if (waitingSince != 0 && streams.tick() - waitingSince > NOT_TAKEN_TICKS) {
      fail(ErrorCode.CANCEL, "The client takes nothing of its answer");
    } else if (overdue.isPresent()) {
      fail(overdue.get(), "The client has stopped in the middle of its request");
    }
  }

  /** Reads of the body, at least one octet; -1 at its end. */
  int read(byte[] into, int from, int length) throws IOException {
    outbound.enter();
    try {
      while (upload.isEmpty() || failure != null) {
        if (failure != null) {
          throw new IOException(failure);
        }
        if (upload.isDone()) {
          return -1;
        }
        if (awaitsContinue && !upload.hasBegun()) {
          awaitsContinue = false;
          outbound.fields(id, CONTINUE, false);
          outbound.flush();
        }
        changed.await();
      }
      int count = upload.read(into, from, length);
      outbound.flush();
      return count;
    } catch (InterruptedException e) {
      throw Outbound.interrupted(e);
    } finally {
      outbound.leave();
    }
  }
}

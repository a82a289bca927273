package dev.safeconduct.gateway.rpc;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes messages as lines, in the order in which they came, on a thread of its own: a reader that
 * does not read holds up nobody else.
 */
public final class LineWriter implements AutoCloseable {
  private static final int MAX_WAITING = 2000;

  /** Behind so many bytes no offered line waits; the last one can have any size. */
  private static final long MAX_BYTES = 16 << 20;

  /** No message is empty. */
  private static final byte[] END = {};

  private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final OutputStream out;
  private final Thread thread;
  private volatile boolean isClosed;

  /** Takes a stream that nobody else writes; closes it at the end. */
  public LineWriter(OutputStream out, String name) {
    this.out = new BufferedOutputStream(out, 16 * 1024);
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Writes a response, or another message; the latter is lost if many wait already. */
  public void write(Message message) {
    boolean isResponse = message.kind() == Message.Kind.RESPONSE;
    boolean _ = add(message.line(), isResponse ? Integer.MAX_VALUE : MAX_WAITING, Long.MAX_VALUE);
  }

  /** Writes a message; returns whether there is room for it and somebody who reads. */
  public boolean offer(Message message) {
    return add(message.line(), MAX_WAITING, MAX_BYTES);
  }

  private synchronized boolean add(byte[] line, int mostLines, long mostBytes) {
    if (isClosed || waiting.size() >= mostLines || bytes.get() > mostBytes) {
      return false;
    }
    bytes.addAndGet(line.length);
    waiting.add(line);
    return true;
  }

  private void run() {
    try (out) {
      for (byte[] line = waiting.take(); line.length > 0; line = waiting.take()) {
        out.write(line);
        out.write('\n');
        if (waiting.isEmpty()) {
          out.flush();
        }
        bytes.addAndGet(-line.length);
      }
    } catch (IOException | InterruptedException e) {
      // Nobody reads any more; who waits for an answer learns it from the other stream's end.
    } finally {
      isClosed = true;
    }
  }

  /** Writes what waits, at most for two seconds, and closes the stream. */
  @Override
  public void close() {
    isClosed = true;
    try {
      waiting.add(END);
      thread.join(2000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

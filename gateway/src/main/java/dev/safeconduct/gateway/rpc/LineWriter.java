package dev.safeconduct.gateway.rpc;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Writes messages as lines, in the order in which they came, on a thread of its own: a reader that
 * does not read holds up nobody else.
 */
public final class LineWriter implements AutoCloseable {
  private static final int MAX_WAITING = 2000;

  /** Behind so many bytes only responses wait; the last line before can have any size. */
  private static final long MAX_BYTES = 16 << 20;

  /** No message is empty. */
  private static final byte[] END = {};

  private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
  private final OutputStream out;
  private final Thread thread;
  private long bytes;
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
    boolean _ =
        isResponse
            ? add(message.line(), Integer.MAX_VALUE, Long.MAX_VALUE)
            : add(message.line(), MAX_WAITING, MAX_BYTES);
  }

  /**
   * Waits until there is room for further messages, or nobody reads any more. Who makes responses
   * as fast as requests come would else fill the memory for a reader that does not read.
   */
  public synchronized void awaitRoom() throws InterruptedException {
    while (!isClosed && bytes > MAX_BYTES) {
      wait();
    }
  }

  /** Writes a message; returns whether there is room for it and somebody who reads. */
  public boolean offer(Message message) {
    return add(message.line(), MAX_WAITING, MAX_BYTES);
  }

  private synchronized boolean add(byte[] line, int mostLines, long mostBytes) {
    if (isClosed || waiting.size() >= mostLines || bytes > mostBytes) {
      return false;
    }
    bytes += line.length;
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
        written(line.length);
      }
    } catch (IOException | InterruptedException e) {
      // Nobody reads any more; who waits for an answer learns it from the other stream's end.
    } finally {
      noteClosed();
    }
  }

  private synchronized void written(int count) {
    bytes -= count;
    notifyAll();
  }

  private synchronized void noteClosed() {
    isClosed = true;
    notifyAll();
  }

  /** Writes what waits, at most for two seconds, and closes the stream. */
  @Override
  public void close() {
    noteClosed();
    try {
      waiting.add(END);
      thread.join(2000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

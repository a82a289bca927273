package dev.safeconduct.gateway.rpc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all messages may take of the heap together. They take their part as their bytes arrive, so
 * that many large messages at once are refused and do not use up the heap. Thread-safe.
 */
public final class MessageMemory {
  /**
   * What one byte of a message takes at most times: as it came, as text, in questions, forwarded.
   */
  private static final int COPIES = 4;

  private final long most;
  private final AtomicLong taken = new AtomicLong();

  /**
   * Sets the limit.
   *
   * @param most bytes of the heap
   */
  public MessageMemory(long most) {
    this.most = most;
  }

  /** Returns one that refuses nothing. */
  public static MessageMemory unlimited() {
    return new MessageMemory(Long.MAX_VALUE / 2);
  }

  /** Returns the part of a message of a client. Half of the memory is for answers only. */
  public Part forRequest() {
    return new Part(most / 2);
  }

  /** Returns the part of a short message of a client, which others may wait for. */
  public Part forShort() {
    return new Part(most - most / 4);
  }

  /** Returns the part of what is kept in case a client asks again: it leaves room for requests. */
  public Part forKept() {
    return new Part(most / 4);
  }

  /** Returns the part of a message of a server. */
  public Part forAnswer() {
    return new Part(most);
  }

  /** Returns how many bytes are taken. */
  public long taken() {
    return taken.get();
  }

  /** What one message takes. */
  public final class Part implements AutoCloseable {
    private final long limit;
    private long held;
    private boolean isClosed;

    private Part(long limit) {
      this.limit = limit;
    }

    /** Takes room for bytes that arrived; returns whether there is room. */
    public synchronized boolean take(long bytes) {
      if (isClosed) {
        return false;
      }
      if (taken.addAndGet(bytes) > limit) {
        taken.addAndGet(-bytes);
        return false;
      }
      held += bytes;
      return true;
    }

    /**
     * Takes room for the values of a message whose bytes have their room; returns whether there is
     * room. The sizes are those of Java's maps, lists and strings on a heap below 32 GiB.
     */
    public boolean takeForValues(byte[] json) {
      return take(sizeOfValues(json));
    }

    /** Returns whether there is no room for further bytes even if nothing else takes any. */
    public synchronized boolean isTooLarge(long bytes) {
      return held + bytes > limit;
    }

    /** Takes room for bytes that are there already, also over the limit. */
    public synchronized void hold(long bytes) {
      if (!isClosed) {
        held += bytes;
        taken.addAndGet(bytes);
      }
    }

    /** Gives back a part of it. */
    public synchronized void give(long bytes) {
      held -= bytes;
      taken.addAndGet(-bytes);
    }

    /** Gives back all of it. */
    public synchronized void clear() {
      taken.addAndGet(-held);
      held = 0;
    }

    /** Gives back all of it, and takes no more. */
    @Override
    public synchronized void close() {
      isClosed = true;
      clear();
    }
  }

  /** Returns what the values of a message take beside its bytes. */
  public static long sizeOfValues(byte[] json) {
    long size = (long) COPIES * json.length;
    for (byte each : json) {
      // Those within strings count, too.
      size +=
          switch (each) {
            case '{' -> 144;
            case '[' -> 80;
            case ',', ':' -> 56;
            default -> 0;
          };
    }
    return size;
  }

  /** The most that messages may take is taken. */
  public static final class Exhausted extends java.io.IOException {
    private static final long serialVersionUID = 1;

    /** Says so. */
    public Exhausted() {
      super("The gateway has no memory left for the message");
    }
  }
}

package dev.safeconduct.gateway.rpc;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What all messages may take of the heap together. They take their part as their bytes arrive, so
 * that many large messages at once are refused and do not use up the heap. Thread-safe.
 */
public final class MessageMemory {
  /**
   * What one byte of a message takes at most times: as it came, as text, in questions, forwarded.
   */
  private static final int COPIES = 4;

  private static final int ALL = 4;
  private static final long UNLIMITED = Long.MAX_VALUE / 2;

  private final long most;
  private final long mostWithAnswers;
  private final @Nullable MessageMemory shared;
  private final AtomicLong taken = new AtomicLong();

  /**
   * Sets the limit.
   *
   * @param most bytes of the heap
   */
  public MessageMemory(long most) {
    this(most, most, null);
  }

  private MessageMemory(long most, long mostWithAnswers, @Nullable MessageMemory shared) {
    this.most = most;
    this.mostWithAnswers = mostWithAnswers;
    this.shared = shared;
  }

  /**
   * Returns what all messages need at least so that a request of this size has room, unless it has
   * very many values.
   */
  public static long leastFor(int bytes) {
    long request = (2L + COPIES) * bytes;
    return 2 * request / 3 * 4; // One client has three quarters, its requests half of them.
  }

  /** Returns the memory of one client, which leaves a quarter for the others. */
  public MessageMemory forClient() {
    return new MessageMemory(most - most / 4, most - most / 4, this);
  }

  /** Returns the memory of calls that wait for their client: it leaves room for going on. */
  public MessageMemory forWaiting() {
    return new MessageMemory(most / 4, most / 4, this);
  }

  /** Returns one that refuses nothing. */
  public static MessageMemory unlimited() {
    return ofAnyAnswers(UNLIMITED);
  }

  /** Returns one with a limit for all but answers, of which a server sends one after the other. */
  public static MessageMemory ofAnyAnswers(long most) {
    return new MessageMemory(most, UNLIMITED, null);
  }

  /** Returns the part of a message of a client. Half of the memory is for answers only. */
  public Part forRequest() {
    return new Part(2);
  }

  /** Returns the part of a short message of a client, which others may wait for. */
  public Part forShort() {
    return new Part(3);
  }

  /** Returns the part of what is kept in case a client asks again: it leaves room for requests. */
  public Part forKept() {
    return new Part(1);
  }

  /** Returns the part of a message of a server. */
  public Part forAnswer() {
    return new Part(ALL);
  }

  /** Returns how many bytes are taken. */
  public long taken() {
    return taken.get();
  }

  private long limit(int quarters) {
    return quarters == ALL ? mostWithAnswers : most / ALL * quarters;
  }

  private boolean take(long bytes, int quarters) {
    boolean hasRoom = taken.addAndGet(bytes) <= limit(quarters);
    if (hasRoom && (shared == null || shared.take(bytes, quarters))) {
      return true;
    }
    taken.addAndGet(-bytes);
    return false;
  }

  private void add(long bytes) {
    taken.addAndGet(bytes);
    if (shared != null) {
      shared.add(bytes);
    }
  }

  /** What one message takes. */
  public final class Part implements AutoCloseable {
    private final int quarters;
    private long held;
    private boolean isClosed;

    private Part(int quarters) {
      this.quarters = quarters;
    }

    /** Takes room for bytes that arrived; returns whether there is room. */
    public synchronized boolean take(long bytes) {
      if (isClosed || !MessageMemory.this.take(bytes, quarters)) {
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
      return held + bytes > limit(quarters);
    }

    /** Takes room for bytes that are there already, also over the limit. */
    public synchronized void hold(long bytes) {
      if (!isClosed) {
        held += bytes;
        add(bytes);
      }
    }

    /** Gives back a part of it. */
    public synchronized void give(long bytes) {
      held -= bytes;
      add(-bytes);
    }

    /** Gives back all of it. */
    public synchronized void clear() {
      add(-held);
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

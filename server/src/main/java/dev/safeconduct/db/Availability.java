package dev.safeconduct.db;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the database works. An outage is one log line when it begins, and one when it ends. */
public final class Availability {
  private static final Logger LOG = LoggerFactory.getLogger(Availability.class);

  /** What notices an outage and its end. */
  public enum Part {
    WRITER,
    FOLLOWER
  }

  private final Set<Part> failing = EnumSet.noneOf(Part.class);
  private volatile boolean unread;
  private volatile boolean unwritten;
  private long began;

  public synchronized void begin(Part part, Throwable cause) {
    if (failing.isEmpty()) {
      began = System.nanoTime();
      LOG.error(
          "The database cannot be used; requests are refused until it works again: {}",
          SqlFault.shown(cause));
    }
    failing.add(part);
    note();
  }

  public synchronized void end(Part part) {
    if (failing.remove(part) && failing.isEmpty()) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
      LOG.info("The database works again after {} s.", seconds);
    }
    note();
  }

  private void note() {
    unread = failing.contains(Part.FOLLOWER);
    unwritten = failing.contains(Part.WRITER);
  }

  /** Returns whether the last transaction could not be written. */
  public boolean stopsWrites() {
    return unwritten;
  }

  /** Returns whether the database does not answer queries. */
  public boolean stopsReads() {
    return unread;
  }
}

package dev.safeconduct.mail;

import java.time.Instant;
import java.util.List;

/** Where letters wait until they are sent, shared by all nodes. */
public interface Outbox {
  void add(OutboxEntry entry);

  /** Entries that may be tried now, the longest waiting first. */
  List<OutboxEntry> due(Instant now, int limit);

  /**
   * Takes the entry for one attempt: nobody tries it again before {@code nextAt}.
   *
   * @return false when another node, or thread, has taken it
   */
  boolean take(OutboxEntry entry, Instant nextAt);

  /** The letter is sent, or nobody needs it any more. */
  void done(String id);

  /**
   * A letter that has not left.
   *
   * @param givenUp whether nobody tries any more
   * @param fault why the last try failed, where that is kept
   */
  record Kept(OutboxEntry entry, boolean givenUp, String fault) {}

  /** Letters that have not left, the newest first. */
  List<Kept> kept(int limit);

  /** The letter is given up; it stays, for the operator to see. */
  void giveUp(String id, Instant at, String fault);
}

package dev.safeconduct.audit;

import java.util.function.Consumer;

/**
 * Tells this node what has changed. When {@link #sequence} gives n, every listener has been told of
 * all changes up to n, so facts cached after reading n are at least that fresh.
 */
public interface ChangeFeed {
  /** The last change all listeners of this node know of. */
  long sequence();

  /** Calls the listener for every later change, before {@link #sequence} moves past it. */
  void listen(Consumer<Change> listener);
}

package dev.safeconduct.access;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts this node's open streams. One credential holds few of them. An organization holds at most
 * as many as are still free, so no number of keys takes the last ones from the others.
 */
public final class StreamShares {
  static final int MOST = 1_000;
  private static final int RETRY_SECONDS = 5;

  private final Map<String, Integer> open = new HashMap<>();
  private final int mostPerCredential;
  private int all;

  public StreamShares(int mostPerCredential) {
    this.mostPerCredential = mostPerCredential;
  }

  /** Returns why the caller may not open a further stream now; empty if it may. */
  public synchronized Optional<Problem> refusal(OrgId org, Caller caller) {
    if (all == MOST) {
      return Optional.of(
          new Problem.Unavailable(
              "This node serves its " + MOST + " streams; connect to another one or try again.",
              RETRY_SECONDS));
    }
    int credential = of(caller.name());
    if (credential == mostPerCredential) {
      return tooMany("This credential has", credential);
    }
    int organization = of(org.value());
    return organization >= MOST - all
        ? tooMany("The organization " + org.value() + " has", organization)
        : Optional.empty();
  }

  private static Optional<Problem> tooMany(String who, int streams) {
    return Optional.of(
        new Problem.RateLimited(
            who + " " + streams + " streams on this node, and the rest is left for others.",
            RETRY_SECONDS,
            Optional.empty()));
  }

  /** Counts a stream that begins, if it may. */
  public synchronized boolean open(OrgId org, Caller caller) {
    if (refusal(org, caller).isPresent()) {
      return false;
    }
    all++;
    open.merge(org.value(), 1, Integer::sum);
    open.merge(caller.name(), 1, Integer::sum);
    return true;
  }

  /** Ends the count of a stream that was opened. */
  public synchronized void close(OrgId org, Caller caller) {
    all--;
    open.computeIfPresent(org.value(), StreamShares::less);
    open.computeIfPresent(caller.name(), StreamShares::less);
  }

  @SuppressWarnings("NullAway") // null removes the entry
  private static Integer less(String name, Integer count) {
    return count == 1 ? null : count - 1;
  }

  private int of(String name) {
    return open.getOrDefault(name, 0);
  }
}

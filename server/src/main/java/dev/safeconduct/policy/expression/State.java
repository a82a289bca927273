package dev.safeconduct.policy.expression;

/**
 * The counters of one passport under one pack, as of the start of the decision. They are read-only:
 * they change at commit, never while an expression runs.
 */
public interface State {
  /** The counter of idempotency keys. */
  String KEYS = "idempotency_key";

  /** Returns the sum recorded under the name and key since midnight UTC. */
  double daySum(String name, String key);

  /** Returns the number of events recorded under the name since midnight UTC. */
  double dayCount(String name);

  /**
   * Returns the number of events younger than this many seconds; the key is empty if none was
   * given.
   */
  double windowCount(String name, int seconds, String key);

  /** Returns whether the idempotency key was recorded within its window. */
  boolean seenKey(String key);

  /** Returns whether the stored set has the member. */
  boolean setHas(String set, String member);
}

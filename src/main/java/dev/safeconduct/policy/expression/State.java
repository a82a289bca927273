package dev.safeconduct.policy.expression;

/**
 * The counters of one passport under one pack, as they stood when the decision began. Reading only:
 * they change at commit, never while an expression runs.
 */
public interface State {
  /** The counter of idempotency keys. */
  String KEYS = "idempotency_key";

  /** The sum recorded under the name and key since midnight UTC. */
  double daySum(String name, String key);

  /** The number of events recorded under the name since midnight UTC. */
  double dayCount(String name);

  /** The number of events younger than so many seconds; the key is empty when none was given. */
  double windowCount(String name, int seconds, String key);

  /** Whether the idempotency key was recorded within its window. */
  boolean seenKey(String key);

  /** Whether the stored set has the member. */
  boolean setHas(String set, String member);
}

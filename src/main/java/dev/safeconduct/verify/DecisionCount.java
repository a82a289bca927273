package dev.safeconduct.verify;

/** Told of every decision that was recorded, to count them. */
@FunctionalInterface
public interface DecisionCount {
  /**
   * One more.
   *
   * @param policy the id of a built-in pack, else {@code own} or {@code in_body}: others' names
   *     would be labels without end
   * @param code of the deciding reason; those a pack has introduced are {@code own}
   */
  void one(String policy, boolean allow, String code);
}

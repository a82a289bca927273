package dev.safeconduct.issuance;

/** Stores what an issue brings into being. */
@FunctionalInterface
public interface Issuances {
  /**
   * Stores all of it, or nothing.
   *
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} for a slug that is taken, or
   *     looks like one that is
   */
  void issue(NewPassport passport);
}

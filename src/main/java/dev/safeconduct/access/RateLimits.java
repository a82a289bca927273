package dev.safeconduct.access;

import dev.safeconduct.problem.Problem;
import java.util.Optional;

/** Counts what is done too often. */
public interface RateLimits {
  /**
   * Takes so many, all of them or none.
   *
   * @param key who does it: an address, an account
   * @param times at most as many as the rate allows at once
   */
  Taken take(Rate rate, String key, int times);

  /** Takes one. */
  default Taken take(Rate rate, String key) {
    return take(rate, key, 1);
  }

  /** Gives back so many that were taken for something that should not count. */
  void giveBack(Rate rate, String key, int times);

  /** Gives back one. */
  default void giveBack(Rate rate, String key) {
    giveBack(rate, key, 1);
  }

  /**
   * Takes one.
   *
   * @param what the sentence a caller is told when there is none left
   * @throws dev.safeconduct.problem.ProblemException 429 when there is none left
   */
  default void demand(Rate rate, String key, String what) {
    Taken taken = take(rate, key);
    if (!taken.granted()) {
      throw new Problem.RateLimited(
              what + " Try again in " + taken.waitSeconds() + " s.",
              taken.waitSeconds(),
              Optional.of(rate.limit()))
          .toException();
    }
  }
}

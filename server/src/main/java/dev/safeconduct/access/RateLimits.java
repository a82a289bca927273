package dev.safeconduct.access;

import dev.safeconduct.error.Problem;
import java.util.Optional;

/** Limits how often callers may do something. */
public interface RateLimits {
  /**
   * Takes the given number, all or none.
   *
   * @param key the limited caller: an address, an account
   * @param times at most as many as the rate allows at once
   */
  RateLimitResult take(Rate rate, String key, int times);

  /** Takes one. */
  default RateLimitResult take(Rate rate, String key) {
    return take(rate, key, 1);
  }

  /** Returns tokens that were taken for something that should not count. */
  void giveBack(Rate rate, String key, int times);

  /** Returns one token. */
  default void giveBack(Rate rate, String key) {
    giveBack(rate, key, 1);
  }

  /**
   * Takes one.
   *
   * @param what the message for a caller over the limit
   * @throws dev.safeconduct.error.ProblemException 429 when no token is left
   */
  default void demand(Rate rate, String key, String what) {
    RateLimitResult taken = take(rate, key);
    if (!taken.granted()) {
      throw new Problem.RateLimited(
              what + " Try again in " + taken.waitSeconds() + " s.",
              taken.waitSeconds(),
              Optional.of(rate.limit()))
          .toException();
    }
  }
}

package dev.safeconduct.policy.schema;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Computes the product of the counted repetitions of a pattern: each is expanded when it compiles.
 */
final class RepeatCounts {
  static final long MOST = 20_000;

  private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(?:,([0-9]{0,9}))?}");

  private RepeatCounts() {}

  /**
   * Returns an upper bound for the factor by which repetitions, nested or not, expand the pattern.
   */
  static long product(String pattern) {
    long sum = 0;
    long product = 1;
    Matcher matcher = COUNT.matcher(pattern);
    while (matcher.find()) {
      String upper = matcher.group(2);
      long count = Long.parseLong(upper == null || upper.isEmpty() ? matcher.group(1) : upper);
      sum += count;
      product = Math.min(MOST + 1, product * Math.max(1, count));
    }
    // Without a group, repetitions cannot be nested, so they add up.
    return pattern.indexOf('(') < 0 ? sum : product;
  }
}

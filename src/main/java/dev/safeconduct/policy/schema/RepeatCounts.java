package dev.safeconduct.policy.schema;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the counted repetitions of a pattern multiply to: each is written out when it compiles. */
final class RepeatCounts {
  static final long MOST = 20_000;

  private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(?:,([0-9]{0,9}))?}");

  private RepeatCounts() {}

  /** An upper bound for the factor by which repetitions blow the pattern up, nested or not. */
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
    // Repetitions that cannot be nested in each other add up; only a group can hold another.
    return pattern.indexOf('(') < 0 ? sum : product;
  }
}

package dev.safeconduct.policy.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds patterns that never finish compiling. RE2/J looks for all cases of a letter by going from
 * one to the next until it is back; from U+1C80 to U+1C88, which are newer than its tables, it
 * never comes back.
 */
final class CaseFolds {
  private static final int FIRST = 0x1c80;
  private static final int LAST = 0x1c88;

  private static final Pattern IGNORES_CASE = Pattern.compile("\\(\\?[a-zA-Z]*i");
  private static final Pattern CHARACTER =
      Pattern.compile("\\\\x\\{0*([0-9a-fA-F]{1,8})}|.", Pattern.DOTALL);

  private CaseFolds() {}

  /** Returns whether the pattern ignores case and may hold one of these letters. */
  static boolean mayNeverEnd(String pattern) {
    if (!ignoresCase(pattern)) {
      return false;
    }
    var spelled = new ArrayList<Integer>();
    Matcher matcher = CHARACTER.matcher(pattern);
    while (matcher.find()) {
      spelled.add(
          matcher.group(1) == null
              ? matcher.group().codePointAt(0)
              : (int) Math.min(Long.parseLong(matcher.group(1), 16), Integer.MAX_VALUE));
    }
    boolean classes = false;
    for (int i = 0; i < spelled.size(); i++) {
      int character = spelled.get(i);
      classes |= character == '[';
      if (character >= FIRST && (character <= LAST || (classes && endsRange(spelled, i)))) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a part of the pattern ignores case. */
  static boolean ignoresCase(String pattern) {
    return IGNORES_CASE.matcher(pattern).find();
  }

  /** Whether a range may end here that begins before these letters. */
  private static boolean endsRange(List<Integer> spelled, int at) {
    return at >= 2 && spelled.get(at - 1) == '-' && spelled.get(at - 2) < FIRST;
  }
}

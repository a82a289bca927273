package dev.safeconduct.policy.schema;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Estimates what a pattern takes before it is compiled: its counted repetitions are multiplied out
 * then, so a short text may take megabytes.
 */
final class PatternSize {
  private static final int FIRST = 0x1c80;
  private static final int LAST = 0x1c88;

  private static final Pattern IGNORES_CASE = Pattern.compile("\\(\\?[a-zA-Z]*i");
  private static final Pattern CHARACTER =
      Pattern.compile("\\\\x\\{0*([0-9a-fA-F]{1,8})}|.", Pattern.DOTALL);

  /** The bytes of one instruction. */
  static final int BYTES = 64;

  /** What a Unicode class takes once, however often it is repeated: it is a table. */
  private static final long TABLE = 100;

  /** A size that is far too large; the product of two is no overflow. */
  private static final long TOO_MUCH = 1_000_000_000;

  private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(?:,([0-9]{0,9}))?}");

  /** Flags take no part: a repetition after them repeats what is before them. */
  private static final Pattern FLAGS = Pattern.compile("\\(\\?[a-zA-Z-]*\\)");

  /** The last character with another case, up to which a range that ignores case is read. */
  private static final int LAST_FOLDED = 0x1044f;

  /** How many characters of such a range take as long as an instruction. */
  private static final int FOLDED = 64;

  private static final Pattern RANGE =
      Pattern.compile(
          "(\\\\x\\{0*([0-9a-fA-F]{1,8})}|.)-(\\\\x\\{0*([0-9a-fA-F]{1,8})}|.)", Pattern.DOTALL);

  private final String pattern;
  private final Deque<Long> outer = new ArrayDeque<>();
  private int at;
  private long group;

  /** The size of what a repetition repeats. */
  private long last;

  private long tables;

  private PatternSize(String pattern) {
    this.pattern = pattern;
  }

  /** Returns about how many instructions the pattern has; not less by an order of magnitude. */
  static long of(String pattern) {
    return new PatternSize(pattern).size();
  }

  private long size() {
    Matcher count = COUNT.matcher(pattern);
    Matcher flags = FLAGS.matcher(pattern);
    while (at < pattern.length()) {
      char c = pattern.charAt(at++);
      switch (c) {
        case '\\' -> escape();
        case '[' -> inBrackets();
        case '(' -> {
          if (flags.region(at - 1, pattern.length()).lookingAt()) {
            at = flags.end();
          } else {
            outer.push(group);
            group = 1;
            last = 1;
          }
        }
        case ')' -> {
          last = group;
          group = outer.isEmpty() ? group : Math.min(group + outer.pop(), TOO_MUCH);
        }
        case '{' -> {
          if (count.region(at - 1, pattern.length()).lookingAt()) {
            String upper = count.group(2);
            repeat(Long.parseLong(upper == null || upper.isEmpty() ? count.group(1) : upper));
            at = count.end();
          } else {
            atom();
          }
        }
        case '*', '+', '?', '|' -> group++;
        default -> atom();
      }
    }
    while (!outer.isEmpty()) {
      group = Math.min(group + outer.pop(), TOO_MUCH);
    }
    return group + tables;
  }

  private void atom() {
    last = 1;
    group = Math.min(group + 1, TOO_MUCH);
  }

  private void repeat(long times) {
    long all = Math.min(last * Math.max(1, times + 1), TOO_MUCH);
    group = Math.min(group + all - last, TOO_MUCH);
    last = all;
  }

  private void escape() {
    char c = at < pattern.length() ? pattern.charAt(at++) : '\\';
    if (c == 'Q') {
      int end = pattern.indexOf("\\E", at);
      int from = at;
      at = end < 0 ? pattern.length() : end + 2;
      group = Math.min(group + at - from, TOO_MUCH);
      last = 1;
      return;
    }
    atom();
    boolean table = c == 'p' || c == 'P';
    tables += table ? TABLE : 0;
    if ((table || c == 'x') && pattern.startsWith("{", at)) {
      at = Math.max(at, pattern.indexOf('}', at) + 1);
    }
  }

  /** Returns what the ranges of a class take, of which every character is compared. */
  private long folded(String members) {
    long folded = 0;
    if (ignoresCase(pattern)) {
      Matcher range = RANGE.matcher(members);
      while (range.find()) {
        int last = Math.min(character(range.group(3), range.group(4)), LAST_FOLDED);
        folded += Math.max(0, last - character(range.group(1), range.group(2))) / FOLDED;
      }
    }
    return folded;
  }

  private static int character(String text, @Nullable String hex) {
    return hex == null
        ? text.codePointAt(0)
        : (int) Math.min(Long.parseLong(hex, 16), Integer.MAX_VALUE);
  }

  private void inBrackets() {
    int from = at;
    at += pattern.startsWith("^", at) ? 1 : 0;
    at += pattern.startsWith("]", at) ? 1 : 0; // the first one is a member
    while (at < pattern.length() && pattern.charAt(at) != ']') {
      if (pattern.startsWith("[:", at) && pattern.indexOf(":]", at) > 0) {
        at = pattern.indexOf(":]", at) + 2;
      } else if (pattern.charAt(at) == '\\') {
        tables += pattern.regionMatches(true, at + 1, "p", 0, 1) ? TABLE : 0;
        at += 2;
      } else {
        at++;
      }
    }
    at++;
    tables += (at - from) / 8 + folded(pattern.substring(from, Math.min(at, pattern.length())));
    atom();
  }

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
  private static boolean ignoresCase(String pattern) {
    return IGNORES_CASE.matcher(pattern).find();
  }

  /** Whether a range may end here that begins before these letters. */
  private static boolean endsRange(List<Integer> spelled, int at) {
    return at >= 2 && spelled.get(at - 1) == '-' && spelled.get(at - 2) < FIRST;
  }
}

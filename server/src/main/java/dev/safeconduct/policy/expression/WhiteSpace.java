package dev.safeconduct.policy.expression;

/** White space as ECMAScript trims it: its WhiteSpace and LineTerminator productions. */
final class WhiteSpace {
  private WhiteSpace() {}

  static String trim(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && isSpace(text.charAt(start))) {
      start++;
    }
    while (end > start && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  private static boolean isSpace(char c) {
    return switch (c) {
      case '\t', '\n', '\u000B', '\f', '\r', '\u2028', '\u2029', '\uFEFF' -> true;
      default -> Character.getType(c) == Character.SPACE_SEPARATOR;
    };
  }
}

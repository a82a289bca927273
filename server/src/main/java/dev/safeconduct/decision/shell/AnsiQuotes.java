package dev.safeconduct.decision.shell;

/** The text of {@code $'…'} (validators section 4.1). */
final class AnsiQuotes {
  private static final String LETTERS = "abeEfnrtv\\'\"?";
  private static final String MEANINGS = "\u0007\b\u001b\u001b\f\n\r\t\u000b\\'\"?";

  private AnsiQuotes() {}

  /** Adds the quoted text that starts here and returns the index after the closing quote. */
  static int read(String line, int start, StringBuilder text) {
    int i = start;
    while (i < line.length() && line.charAt(i) != '\'') {
      if (line.charAt(i) != '\\' || i + 1 == line.length()) {
        text.append(line.charAt(i++));
        continue;
      }
      int meaning = LETTERS.indexOf(line.charAt(i + 1));
      if (meaning >= 0) {
        text.append(MEANINGS.charAt(meaning));
        i += 2;
      } else {
        i = number(line, i, text);
      }
    }
    return i + 1;
  }

  /** Adds the character whose number stands after this backslash; without one, the backslash. */
  private static int number(String line, int backslash, StringBuilder text) {
    int digits =
        switch (line.charAt(backslash + 1)) {
          case 'x' -> 2;
          case 'u' -> 4;
          case 'U' -> 8;
          default -> 3;
        };
    boolean octal = digits == 3;
    int start = octal ? backslash + 1 : backslash + 2;
    int end = start;
    long number = 0;
    while (end < line.length() && end < start + digits && digit(line.charAt(end), octal) >= 0) {
      number = number * (octal ? 8 : 16) + digit(line.charAt(end), octal);
      end++;
    }
    if (end == start) {
      text.append('\\');
      return backslash + 1;
    }
    int c = (int) Math.min(octal ? number & 0xff : number, Integer.MAX_VALUE);
    if (c > 0 && Character.isValidCodePoint(c) && (c >>> 11) != (Character.MIN_SURROGATE >>> 11)) {
      text.appendCodePoint(c);
    }
    return end;
  }

  private static int digit(char c, boolean octal) {
    return c < 0x80 ? Character.digit(c, octal ? 8 : 16) : -1;
  }
}

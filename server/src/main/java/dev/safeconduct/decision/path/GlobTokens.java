package dev.safeconduct.decision.path;

import java.util.Arrays;

/**
 * A glob cut into tokens. A token is the code point it stands for, or one of the negative wildcards
 * below.
 */
final class GlobTokens {
  /** One character that is not a slash. */
  static final int ONE = -1;

  /** Any text without a slash. */
  static final int RUN = -2;

  /** Any text. */
  static final int ANY = -3;

  /** Zero directories, or on to {@link #INSIDE}, which always follows. */
  static final int DIRECTORIES = -4;

  /** Within one or more directories; left by a slash. */
  static final int INSIDE = -5;

  private final int[] tokens;
  private int size;

  private GlobTokens(int most) {
    tokens = new int[most];
  }

  static int[] of(String pattern) {
    var cut = new GlobTokens(pattern.length());
    for (int i = 0; i < pattern.length(); ) {
      int c = pattern.codePointAt(i);
      if (c == '?') {
        cut.add(ONE);
        i++;
      } else if (c != '*') {
        cut.add(c);
        i += Character.charCount(c);
      } else if (!pattern.startsWith("**", i)) {
        cut.add(RUN);
        i++;
      } else if (pattern.startsWith("**/", i) && (i == 0 || pattern.charAt(i - 1) == '/')) {
        cut.add(DIRECTORIES);
        cut.add(INSIDE);
        i += 3;
      } else {
        cut.add(ANY);
        i += 2;
      }
    }
    return Arrays.copyOf(cut.tokens, cut.size);
  }

  private void add(int token) {
    boolean swallowed = size > 0 && tokens[size - 1] == ANY && (token == ANY || token == RUN);
    if (!swallowed) {
      tokens[size++] = token;
    }
  }
}

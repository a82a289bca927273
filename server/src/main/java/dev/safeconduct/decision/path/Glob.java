package dev.safeconduct.decision.path;

/**
 * A path glob of validators section 2.3: {@code *} and {@code ?} stop at slashes, {@code **} does
 * not, {@code **}{@code /} at the start of a part is zero or more directories. Matching takes time
 * linear in the path.
 */
sealed interface Glob permits BitGlob, LongGlob {
  boolean matches(String path);

  /** Matches the whole text. */
  static Glob exactly(String pattern) {
    return compile(pattern, false);
  }

  /** Matches the text of a directory, and every path below it. */
  static Glob tree(String pattern) {
    return compile(pattern, true);
  }

  private static Glob compile(String pattern, boolean below) {
    int[] tokens = GlobTokens.of(pattern);
    return tokens.length <= BitGlob.MOST_TOKENS
        ? new BitGlob(tokens, below)
        : new LongGlob(tokens, below);
  }
}

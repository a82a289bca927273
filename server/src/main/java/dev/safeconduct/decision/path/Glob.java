package dev.safeconduct.decision.path;

/**
 * A path glob of validators section 2.3: {@code *} and {@code ?} stop at slashes, {@code **} does
 * not, {@code **}{@code /} at the start of a part is zero or more directories. Matching takes time
 * linear in the path.
 */
sealed interface Glob permits BitGlob, Glob.LongGlob {
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

  /** A glob too long for one machine word: the automaton of {@link BitGlob} over arrays. */
  static final class LongGlob implements Glob {
    private final int[] tokens;
    private final boolean below;

    LongGlob(int[] tokens, boolean below) {
      this.tokens = tokens;
      this.below = below;
    }

    @Override
    public boolean matches(String path) {
      boolean[] state = new boolean[tokens.length + 1];
      state[0] = true;
      skipEmpty(state);
      for (int i = 0; i < path.length(); ) {
        int c = path.codePointAt(i);
        if (below && i > 0 && c == '/' && state[tokens.length]) {
          return true;
        }
        i += Character.charCount(c);
        state = step(state, c);
      }
      return state[tokens.length];
    }

    private boolean[] step(boolean[] state, int c) {
      boolean[] next = new boolean[state.length];
      for (int i = 0; i < tokens.length; i++) {
        if (state[i]) {
          switch (tokens[i]) {
            case GlobTokens.ONE -> next[i + 1] |= c != '/';
            case GlobTokens.RUN -> next[i] |= c != '/';
            case GlobTokens.ANY -> next[i] = true;
            case GlobTokens.DIRECTORIES -> {}
            case GlobTokens.INSIDE -> {
              next[i] = true;
              next[i + 1] |= c == '/';
            }
            default -> next[i + 1] |= c == tokens[i];
          }
        }
      }
      skipEmpty(next);
      return next;
    }

    private void skipEmpty(boolean[] state) {
      for (int i = 0; i < tokens.length; i++) {
        if (state[i]) {
          switch (tokens[i]) {
            case GlobTokens.RUN, GlobTokens.ANY -> state[i + 1] = true;
            case GlobTokens.DIRECTORIES -> {
              state[i + 1] = true;
              state[i + 2] = true;
            }
            default -> {}
          }
        }
      }
    }
  }
}

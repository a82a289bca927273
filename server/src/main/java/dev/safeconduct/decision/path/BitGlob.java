package dev.safeconduct.decision.path;

/**
 * A short glob as a nondeterministic automaton in one {@code long}: bit i is set while the first i
 * tokens have matched.
 */
final class BitGlob implements Glob {
  /** The maximum number of tokens. It reserves bits for a tree's slash and rest, and the end. */
  static final int MOST_TOKENS = 60;

  /** For each ASCII character, the tokens that it matches and advances past. */
  private final long[] moves = new long[128];

  private final int[] tokens;
  private final long start;
  private final long accepting;
  private final long sealed;
  private long ones;
  private long runs;
  private long loops;
  private long empties;
  private long forks;

  BitGlob(int[] tokens, boolean below) {
    this.tokens = tokens;
    for (int i = 0; i < tokens.length; i++) {
      add(tokens[i], 1L << i);
    }
    int end = tokens.length;
    long first = 1L;
    if (below) {
      add('/', 1L << end);
      add(GlobTokens.ANY, 1L << (end + 1));
      sealed = 1L << (end + 1);
      accepting = (1L << end) | sealed;
      start = closure(first) & ~(1L << end); // a directory has a name
    } else {
      sealed = 0;
      accepting = 1L << end;
      start = closure(first);
    }
  }

  @Override
  public boolean matches(String path) {
    return accepts(feed(start, path));
  }

  boolean accepts(long state) {
    return (state & accepting) != 0;
  }

  /** Returns the state after the characters of the text. */
  long feed(long state, String text) {
    long now = state;
    for (int i = 0; i < text.length() && now != 0 && (now & sealed) == 0; ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      now = step(now, c);
    }
    return now;
  }

  private long step(long state, int c) {
    long moved = (state & moves(c)) << 1;
    long stayed = state & (c == '/' ? loops : loops | runs);
    return closure(moved | stayed);
  }

  private long moves(int c) {
    if (c < moves.length) {
      return moves[c];
    }
    long found = ones;
    for (int i = 0; i < tokens.length; i++) {
      if (tokens[i] == c) {
        found |= 1L << i;
      }
    }
    return found;
  }

  /** Adds the states that wildcards reach by matching the empty text. */
  private long closure(long state) {
    long before;
    long after = state;
    do {
      before = after;
      after |= (before & empties) << 1;
      after |= (before & forks) << 2;
    } while (after != before);
    return after;
  }

  private void add(int token, long bit) {
    switch (token) {
      case GlobTokens.ONE -> {
        ones |= bit;
        for (int c = 0; c < moves.length; c++) {
          if (c != '/') {
            moves[c] |= bit;
          }
        }
      }
      case GlobTokens.RUN -> {
        runs |= bit;
        empties |= bit;
      }
      case GlobTokens.ANY -> {
        loops |= bit;
        empties |= bit;
      }
      case GlobTokens.DIRECTORIES -> {
        empties |= bit;
        forks |= bit;
      }
      case GlobTokens.INSIDE -> {
        loops |= bit;
        moves['/'] |= bit;
      }
      default -> {
        if (token < moves.length) {
          moves[token] |= bit;
        }
      }
    }
  }
}

package dev.safeconduct.decision.path;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Finds which of up to 64 short ASCII texts occur in a longer one, all in one pass (the automaton
 * of Aho and Corasick).
 */
final class SubstringSet {
  private static final int ASCII = 128;

  /** The next state for a state and an ASCII character; state 0 is "nothing begun". */
  private int[][] next = {new int[ASCII]};

  /** For each state, one bit for every text that ends there. */
  private long[] found = new long[1];

  SubstringSet(List<String> needles) {
    if (needles.size() > Long.SIZE) {
      throw new IllegalArgumentException("more needles than bits");
    }
    for (int i = 0; i < needles.size(); i++) {
      plant(needles.get(i), 1L << i);
    }
    link();
  }

  /** One bit for every text that occurs, in the order they were given. */
  long in(String text) {
    long all = found[0];
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      state = c < ASCII ? next[state][c] : 0;
      all |= found[state];
    }
    return all;
  }

  private void plant(String needle, long bit) {
    int state = 0;
    for (int i = 0; i < needle.length(); i++) {
      char c = needle.charAt(i);
      if (next[state][c] == 0) {
        next = Arrays.copyOf(next, next.length + 1);
        next[next.length - 1] = new int[ASCII];
        found = Arrays.copyOf(found, next.length);
        next[state][c] = next.length - 1;
      }
      state = next[state][c];
    }
    found[state] |= bit;
  }

  /** Adds failure links: after a mismatch, matching continues with the longest possible suffix. */
  private void link() {
    int[] fallback = new int[next.length];
    var waiting = new ArrayDeque<Integer>();
    waiting.add(0);
    while (!waiting.isEmpty()) {
      int state = waiting.remove();
      found[state] |= found[fallback[state]];
      for (int c = 0; c < ASCII; c++) {
        int longer = next[state][c];
        int other = state == 0 ? 0 : next[fallback[state]][c];
        if (longer == 0) {
          next[state][c] = other;
        } else {
          fallback[longer] = other;
          waiting.add(longer);
        }
      }
    }
  }
}

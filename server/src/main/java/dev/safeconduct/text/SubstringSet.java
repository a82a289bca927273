package dev.safeconduct.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds which of some short texts occur in a longer one, all in one pass (the automaton of Aho and
 * Corasick). The short texts have only characters up to U+00FF, as {@link #bytes} gives them.
 */
public final class SubstringSet {
  private static final int BYTE = 256;

  /** The next state for a state and a character; state 0 is "nothing begun". */
  private int[][] next = {new int[BYTE]};

  /** For each state, the places in the list of all texts that end there. */
  private final List<BitSet> found = new ArrayList<>(List.of(new BitSet()));

  /** For each state, whether some text ends there. */
  private final boolean[] ends;

  /**
   * Returns the bytes in UTF-8 of a text of whole code points, as characters. A text occurs in
   * another where its bytes occur in the other's.
   */
  public static String bytes(String text) {
    return Folding.isAscii(text)
        ? text
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  public SubstringSet(List<String> needles) {
    for (int i = 0; i < needles.size(); i++) {
      plant(needles.get(i), i);
    }
    link();
    ends = new boolean[next.length];
    for (int state = 0; state < ends.length; state++) {
      ends[state] = !found.get(state).isEmpty();
    }
  }

  /** Returns the places in the list of all texts that occur; Java null if none does. */
  public @Nullable BitSet in(String text) {
    BitSet all = null;
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      state = c < BYTE ? next[state][c] : 0;
      if (ends[state]) {
        all = all == null ? new BitSet() : all;
        all.or(found.get(state));
      }
    }
    return all;
  }

  private void plant(String needle, int place) {
    int state = 0;
    for (int i = 0; i < needle.length(); i++) {
      char c = needle.charAt(i);
      if (next[state][c] == 0) {
        next = Arrays.copyOf(next, next.length + 1);
        next[next.length - 1] = new int[BYTE];
        found.add(new BitSet());
        next[state][c] = next.length - 1;
      }
      state = next[state][c];
    }
    found.get(state).set(place);
  }

  /** Adds failure links: after a mismatch, matching continues with the longest possible suffix. */
  private void link() {
    int[] fallback = new int[next.length];
    var waiting = new ArrayDeque<Integer>();
    waiting.add(0);
    while (!waiting.isEmpty()) {
      int state = waiting.remove();
      found.get(state).or(found.get(fallback[state]));
      for (int c = 0; c < BYTE; c++) {
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

package dev.safeconduct.json;

import dev.safeconduct.error.PolicyFault;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/** Suggests the known name for a misspelled one. */
public final class Spelling {
  private static final int MAX_LENGTH = 64;

  private Spelling() {}

  /** Returns the known name nearest to the wrong one, when it is similar enough. */
  public static Optional<String> nearest(String wrong, Collection<String> known) {
    if (wrong.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String best = "";
    int bestDistance = 1 + Math.max(1, Math.min(3, wrong.length() / 3));
    for (String name : known) {
      int distance = distance(wrong, name);
      if (distance < bestDistance || (distance == bestDistance && name.compareTo(best) < 0)) {
        best = name;
        bestDistance = distance;
      }
    }
    return best.isEmpty() ? Optional.empty() : Optional.of(best);
  }

  /** Returns the suggestion for an error message; empty text when no name is similar. */
  public static String hint(String wrong, Collection<String> known) {
    return nearest(wrong, known).map(name -> " (did you mean " + name + "?)").orElse("");
  }

  /** Returns the fault with the similar name as its suggestion, if there is one. */
  public static PolicyFault suggest(PolicyFault fault, String wrong, Collection<String> known) {
    return nearest(wrong, known).map(fault::suggesting).orElse(fault);
  }

  /** Counts insertions, deletions, replacements and swaps of neighbours between the two. */
  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 3) {
      return Integer.MAX_VALUE;
    }
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    Arrays.setAll(last, j -> j);
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      beforeLast = last;
      last = row;
    }
    return last[b.length()];
  }
}

package dev.safeconduct.policy.expression;

import java.util.Collection;
import java.util.Locale;

/** Suggestions that end an error message; empty when nothing fits. */
final class Hints {
  private Hints() {}

  /** For a word found where an operator was expected: the habits of older packs. */
  static String forWord(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "and" -> "; did you mean &&?";
      case "or" -> "; did you mean ||?";
      case "not" -> "; did you mean !?";
      case "in" ->
          "; did you mean allow(list, value), hasKey(object, key) or list.includes(value)?";
      case "is" -> "; did you mean isEmpty(value)?";
      case "for" -> "; did you mean list.some(x => …) or list.every(x => …)?";
      case "=>" ->
          "; a lambda is the only argument of some, every, filter or map, with one parameter";
      case "contains" -> "; did you mean text.includes(part)?";
      case "starts_with" -> "; did you mean text.startsWith(part)?";
      case "ends_with" -> "; did you mean text.endsWith(part)?";
      default -> "";
    };
  }

  /** For a symbol found where a value was expected. */
  static String forSymbol(String symbol) {
    return switch (symbol) {
      case "=>" -> "; a lambda has exactly one parameter: x => …";
      case "." -> "; spread and '.5' are not part of the language";
      case "/" -> "; regular expressions are not part of the language";
      default -> "";
    };
  }

  /** The candidate nearest to a misspelt name, as a question. */
  static String nearest(String name, Collection<String> candidates) {
    String best = "";
    int least = 1 + Math.max(1, name.length() / 3);
    for (String candidate : candidates) {
      int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best.isEmpty() ? "" : "; did you mean " + best + "?";
  }

  /** Levenshtein's edit distance, one row at a time. */
  private static int distance(String a, String b) {
    var row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int swap = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(swap, 1 + Math.min(above, row[j - 1]));
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}

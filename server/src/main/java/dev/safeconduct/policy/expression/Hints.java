package dev.safeconduct.policy.expression;

import dev.safeconduct.json.Spelling;
import java.util.Collection;
import java.util.Locale;
import java.util.TreeMap;

/** Suggestions for mistakes in an expression; empty if there is none. */
public final class Hints {
  private Hints() {}

  /** Returns the hint for a word in place of an operator, as in the syntax of older packs. */
  static String forWord(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "and" -> "&&";
      case "or" -> "||";
      case "not" -> "!";
      case "in" -> "allow(list, value), hasKey(object, key) or list.includes(value)";
      case "is" -> "isEmpty(value)";
      case "for", "=>" -> "list.some(x => …) or list.every(x => …)";
      case "contains" -> "text.includes(part)";
      case "starts_with" -> "text.startsWith(part)";
      case "ends_with" -> "text.endsWith(part)";
      default -> "";
    };
  }

  /** Returns the hint for a symbol in place of a value. */
  static String forSymbol(String symbol) {
    return switch (symbol) {
      case "=>" -> "; a lambda has exactly one parameter: x => …";
      case "." -> "; spread and '.5' are not part of the language";
      case "/" -> "; regular expressions are not part of the language";
      default -> "";
    };
  }

  /** Returns the candidate nearest to a misspelt name, ignoring case. */
  public static String nearest(String name, Collection<String> candidates) {
    var lower = new TreeMap<String, String>();
    candidates.forEach(candidate -> lower.put(candidate.toLowerCase(Locale.ROOT), candidate));
    return Spelling.nearest(name.toLowerCase(Locale.ROOT), lower.keySet())
        .map(lower::get)
        .orElse("");
  }
}

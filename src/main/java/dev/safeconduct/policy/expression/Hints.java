package dev.safeconduct.policy.expression;

import dev.safeconduct.json.Spelling;
import java.util.Collection;
import java.util.Locale;
import java.util.TreeMap;

/** What a mistake was probably meant to be; empty when nothing fits. */
final class Hints {
  private Hints() {}

  /** For a word found where an operator was expected: the habits of older packs. */
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

  /** What to say of a symbol found where a value was expected. */
  static String forSymbol(String symbol) {
    return switch (symbol) {
      case "=>" -> "; a lambda has exactly one parameter: x => …";
      case "." -> "; spread and '.5' are not part of the language";
      case "/" -> "; regular expressions are not part of the language";
      default -> "";
    };
  }

  /** The candidate nearest to a misspelt name, whatever the case of its letters. */
  static String nearest(String name, Collection<String> candidates) {
    var lower = new TreeMap<String, String>();
    candidates.forEach(candidate -> lower.put(candidate.toLowerCase(Locale.ROOT), candidate));
    return Spelling.nearest(name.toLowerCase(Locale.ROOT), lower.keySet())
        .map(lower::get)
        .orElse("");
  }
}

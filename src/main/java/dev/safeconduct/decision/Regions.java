package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Folding;
import java.util.Locale;

/** Which regions a passport covers (pack catalogue 0.9). */
final class Regions {
  private Regions() {}

  static boolean cover(JsonObject passport, String region) {
    // The passport's entries are trimmed, what is asked is not: it is a value, not somebody's list.
    String wanted = region.toLowerCase(Locale.ROOT);
    return passport
        .array("regions")
        .orElse(JsonArray.EMPTY)
        .strings()
        .map(entry -> Folding.trim(entry).toLowerCase(Locale.ROOT))
        .anyMatch(entry ->
            entry.equals("*")
                || entry.equals("global")
                || entry.equals(wanted)
                || (isCountry(entry) && wanted.startsWith(entry + "-")));
  }

  private static boolean isCountry(String entry) {
    return entry.length() == 2 && isLetter(entry.charAt(0)) && isLetter(entry.charAt(1));
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }
}

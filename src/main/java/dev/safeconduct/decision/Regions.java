package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
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
        .map(entry -> entry.strip().toLowerCase(Locale.ROOT))
        .anyMatch(entry ->
            entry.equals("*")
                || entry.equals("global")
                || entry.equals(wanted)
                || (entry.length() == 2 && wanted.startsWith(entry + "-")));
  }
}

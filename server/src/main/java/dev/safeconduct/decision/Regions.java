package dev.safeconduct.decision;

import java.util.List;
import java.util.Locale;

/** Checks which regions a passport covers (pack catalogue 0.9). */
final class Regions {
  private Regions() {}

  /** {@code entries}: the passport's regions, trimmed and in lower case. */
  static boolean cover(List<String> entries, String region) {
    // The passport's entries are trimmed. The requested region is one value and is not trimmed.
    String wanted = region.toLowerCase(Locale.ROOT);
    for (String entry : entries) {
      if (entry.equals("*")
          || entry.equals("global")
          || entry.equals(wanted)
          || (isCountry(entry) && wanted.startsWith(entry + "-"))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCountry(String entry) {
    return entry.length() == 2 && isLetter(entry.charAt(0)) && isLetter(entry.charAt(1));
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }
}

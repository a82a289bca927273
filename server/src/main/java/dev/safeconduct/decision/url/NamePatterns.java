package dev.safeconduct.decision.url;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A block-list of names in which a trailing {@code *} stands for any ending; {@code *} alone blocks
 * every name.
 */
final class NamePatterns {
  private final Set<String> names = new HashSet<>();
  private final List<String> prefixes = new ArrayList<>();

  /**
   * @param entries in the same form as the names to check
   */
  NamePatterns(Stream<String> entries) {
    entries.forEach(entry -> {
      if (entry.endsWith("*")) {
        prefixes.add(withoutStars(entry));
      } else {
        names.add(entry);
      }
    });
  }

  boolean match(String name) {
    if (names.contains(name)) {
      return true;
    }
    for (int i = 0; i < prefixes.size(); i++) {
      if (name.startsWith(prefixes.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the text without the stars at its end. */
  static String withoutStars(String entry) {
    return trimEnd(entry, "*");
  }

  /** Returns the text without these characters at its end. */
  static String trimEnd(String text, String dropped) {
    int end = text.length();
    while (end > 0 && dropped.indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return text.substring(0, end);
  }
}

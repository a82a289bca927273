package dev.safeconduct.decision.url;

import java.text.Normalizer;
import java.util.List;

/** Domain lists of a passport, matched against a URL (validator catalogue 3.2). */
final class DomainLists {
  private DomainLists() {}

  static boolean allow(List<String> entries, Url url) {
    for (String entry : entries) {
      if (DomainEntry.parse(trim(entry)).filter(parsed -> parsed.allows(url)).isPresent()) {
        return true;
      }
    }
    return false;
  }

  static boolean block(List<String> entries, Url url) {
    for (String entry : entries) {
      if (blocks(entry, url)) {
        return true;
      }
      // Block-lists are read after compatibility composition (pack catalogue 0.6).
      if (!isAscii(entry) && blocks(Normalizer.normalize(entry, Normalizer.Form.NFKC), url)) {
        return true;
      }
    }
    return false;
  }

  private static boolean blocks(String entry, Url url) {
    return DomainEntry.parse(trim(entry)).filter(parsed -> parsed.blocks(url)).isPresent();
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }

  /** Without white space at the ends, as ECMAScript's {@code trim} understands it. */
  static String trim(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && isSpace(text.charAt(start))) {
      start++;
    }
    while (end > start && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\uFEFF';
  }
}

package dev.safeconduct.decision.url;

import dev.safeconduct.text.Folding;
import java.util.List;

/** Domain lists of a passport, matched against a URL (validator catalogue 3.2). */
final class DomainLists {
  private DomainLists() {}

  static boolean allow(List<String> entries, Url url) {
    for (String entry : entries) {
      if (DomainEntry.parse(Folding.trim(entry)).filter(parsed -> parsed.allows(url)).isPresent()) {
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
      if (!Folding.isAscii(entry) && blocks(Folding.nfkc(entry), url)) {
        return true;
      }
    }
    return false;
  }

  private static boolean blocks(String entry, Url url) {
    return DomainEntry.parse(Folding.trim(entry)).filter(parsed -> parsed.blocks(url)).isPresent();
  }
}

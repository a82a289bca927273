package dev.safeconduct.decision.url;

import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.stream.Stream;

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

  /** Returns the entries for hosts alone. */
  static List<DomainEntry> forHosts(List<String> entries) {
    return entries.stream()
        .flatMap(entry -> DomainEntry.parse(Folding.trim(entry)).stream())
        .filter(DomainEntry::isForHosts)
        .toList();
  }

  /** Returns the entries of a block-list, also after compatibility composition (catalogue 0.6). */
  static List<DomainEntry> blocking(List<String> entries) {
    return entries.stream()
        .flatMap(entry ->
            Folding.isAscii(entry) ? Stream.of(entry) : Stream.of(entry, Folding.nfkc(entry)))
        .flatMap(entry -> DomainEntry.parse(Folding.trim(entry)).stream())
        .toList();
  }

  static boolean block(List<DomainEntry> blocking, Url url) {
    return blocking.stream().anyMatch(entry -> entry.blocks(url));
  }
}

package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.text.Folding;
import dev.safeconduct.text.Words;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Domain lists of a passport, matched against a URL (validator catalogue 3.2). */
final class DomainLists {
  private static final Set<String> NAMES =
      Words.set(
          """
          pastebin.com paste.ee hastebin.com dpaste.com ghostbin.com ix.io sprunge.us 0x0.st
          transfer.sh file.io gofile.io anonfiles.com bashupload.com temp.sh webhook.site
          requestbin.com requestbin.net pipedream.net ngrok.io ngrok-free.app ngrok.app
          interact.sh oast.pro oast.fun oast.live oast.site burpcollaborator.net
          """);

  private DomainLists() {}

  /** Returns the entries of an allow-list. */
  static List<DomainEntry> allowing(List<String> entries) {
    return entries.stream()
        .flatMap(entry -> DomainEntry.parse(Folding.trim(entry)).stream())
        .toList();
  }

  static boolean allow(List<DomainEntry> allowing, Url url) {
    for (DomainEntry entry : allowing) {
      if (entry.allows(url)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the entries for hosts alone. */
  static List<DomainEntry> forHosts(List<String> entries) {
    return allowing(entries).stream().filter(DomainEntry::isForHosts).toList();
  }

  /** Returns the entries of a block-list, also after compatibility composition (catalogue 0.6). */
  static List<DomainEntry> blocking(List<String> entries) {
    return entries.stream()
        .flatMap(entry ->
            Folding.isAscii(entry) ? Stream.of(entry) : Stream.of(entry, Folding.nfkc(entry)))
        .flatMap(entry -> DomainEntry.parse(Folding.trim(entry)).stream())
        .toList();
  }

  /** Returns the passport's block-list. */
  static Reading<List<DomainEntry>> blocked(Limits limits) {
    return limits.list("blocked_domains", "url.blocked", DomainLists::blocking);
  }

  static boolean block(List<DomainEntry> blocking, Url url) {
    for (DomainEntry entry : blocking) {
      if (entry.blocks(url)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the host is one of the services. All services have exactly two labels. */
  static boolean isDropPoint(Host host) {
    if (!(host instanceof Host.Name(String name))) {
      return false;
    }
    int dot = name.lastIndexOf('.', name.lastIndexOf('.') - 1);
    return NAMES.contains(name.substring(dot + 1));
  }
}

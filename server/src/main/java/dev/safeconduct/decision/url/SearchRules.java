package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.Optional;

/** The rules of web.search.v1 (pack catalogue 22). */
final class SearchRules {
  private static final String BELOW = "*.";

  private SearchRules() {}

  static RuleResult allowlist(Facts facts) {
    if (!(facts.limits().list("allowed_domains")
        instanceof Reading.Present<List<String>>(List<String> entries))) {
      return RuleResult.fail("The passport sets no list of allowed_domains.");
    }
    if (entries.stream().map(Folding::trim).anyMatch("*"::equals)) {
      return RuleResult.pass();
    }
    List<String> asked = asked(facts);
    if (asked.isEmpty()) {
      return RuleResult.fail(
          "The passport does not open the whole web: the search must name its allowed_domains.");
    }
    List<DomainEntry> domains = DomainLists.forHosts(entries);
    for (String domain : asked) {
      if (!isCovered(domain, domains)) {
        return RuleResult.fail(Excerpt.of(domain) + " is not among the allowed domains.");
      }
    }
    return RuleResult.pass();
  }

  /** Whether an entry covers the domain; one with a star is the names below its host. */
  private static boolean isCovered(String domain, List<DomainEntry> entries) {
    Optional<Host> host = host(domain);
    // Nothing is below an address; it is covered by the same address only.
    boolean namesBelow =
        domain.startsWith(BELOW) && host.filter(Host.Name.class::isInstance).isPresent();
    return host.isPresent()
        && entries.stream().anyMatch(entry -> entry.covers(host.get(), namesBelow));
  }

  static RuleResult blocklist(Facts facts) {
    Reading<List<DomainEntry>> blocked = DomainLists.blocked(facts.limits());
    if (blocked instanceof Reading.Malformed) {
      return RuleResult.fail("The passport's blocked_domains is not a list.");
    }
    List<DomainEntry> entries =
        blocked instanceof Reading.Present<List<DomainEntry>>(List<DomainEntry> some)
            ? some
            : List.of();
    boolean lifted = facts.limits().grants("disable_default_blocks");
    for (String domain : asked(facts)) {
      Optional<Url> url =
          host(domain).flatMap(host -> Url.parse("https://" + host.text() + "/", Url.WEB));
      if (url.isEmpty()) {
        continue;
      }
      if (DomainLists.block(entries, url.get())) {
        return RuleResult.fail(Excerpt.of(domain) + " is among the blocked domains.");
      }
      if (!lifted && DomainLists.isDropPoint(url.get().host())) {
        return RuleResult.fail(Excerpt.of(domain) + " is a paste, upload or tunnel service.");
      }
    }
    return RuleResult.pass();
  }

  static RuleResult query(Facts facts) {
    Reading<List<String>> blocked =
        facts
            .limits()
            .list(
                "blocked_patterns",
                "search.blocked",
                texts ->
                    texts.stream().map(Folding::fold).filter(text -> !text.isEmpty()).toList());
    if (blocked instanceof Reading.Malformed) {
      return RuleResult.fail("The passport's blocked_patterns is not a list.");
    }
    String query = facts.context().text("query");
    String folded = Folding.fold(query);
    if (blocked instanceof Reading.Present<List<String>>(List<String> texts)
        && texts.stream().anyMatch(folded::contains)) {
      return RuleResult.fail("The query holds a text that the passport blocks.");
    }
    boolean secret = SecretShapes.inText(query) || SecretShapes.inText(folded);
    return secret && !facts.limits().grants("disable_default_blocks")
        ? RuleResult.fail("The query holds what looks like a secret.")
        : RuleResult.pass();
  }

  private static List<String> asked(Facts facts) {
    return facts.context().list("allowed_domains").strings().toList();
  }

  private static Optional<Host> host(String domain) {
    return Host.parse(domain.startsWith(BELOW) ? domain.substring(BELOW.length()) : domain);
  }
}

package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.net.NonPublicHosts.Kind;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Optional;

/**
 * Rules for the URL of web.fetch.v1 and web.browser.v1. Without a URL the rules pass, because the
 * context check of web.fetch.v1 requires one.
 */
final class UrlRules {
  private static final RuleResult NO_URL = RuleResult.fail("The URL cannot be read.");

  private UrlRules() {}

  /** A check of the URL in the context's {@code url}. */
  private interface UrlCheck {
    RuleResult check(Url url, Limits limits);
  }

  static RuleResult allowlist(Facts facts) {
    return onUrl(
        facts,
        (url, limits) ->
            switch (limits.list("allowed_domains", "url.allowed", DomainLists::allowing)) {
              case Reading.Absent<List<DomainEntry>> _ ->
                  RuleResult.fail("The passport names no allowed domains.");
              case Reading.Malformed<List<DomainEntry>> _ ->
                  RuleResult.fail("The passport's allowed_domains is not a list.");
              case Reading.Present<List<DomainEntry>>(List<DomainEntry> entries) ->
                  DomainLists.allow(entries, url)
                      ? RuleResult.pass()
                      : RuleResult.fail(shown(url) + " is not among the allowed domains.");
            });
  }

  static RuleResult blocklist(Facts facts) {
    return onUrl(
        facts,
        (url, limits) -> {
          Reading<List<DomainEntry>> blocked = DomainLists.blocked(limits);
          if (blocked instanceof Reading.Malformed) {
            return RuleResult.fail("The passport's blocked_domains is not a list.");
          }
          if (blocked instanceof Reading.Present<List<DomainEntry>>(List<DomainEntry> entries)
              && DomainLists.block(entries, url)) {
            return RuleResult.fail(shown(url) + " is among the blocked domains.");
          }
          return DropPoints.include(url.host()) && !limits.grants("disable_default_blocks")
              ? RuleResult.fail(shown(url) + " is a paste, upload or tunnel service.")
              : RuleResult.pass();
        });
  }

  static RuleResult privateHost(Facts facts) {
    return onUrl(
        facts,
        (url, limits) -> {
          Optional<Kind> kind = url.host().kind();
          if (kind.filter(Kind::isNever).isPresent()) {
            return RuleResult.fail(
                shown(url) + " is " + kind.get().wording() + "; no setting opens it.");
          }
          return kind.isEmpty() || opensPrivate(limits)
              ? RuleResult.pass()
              : RuleResult.fail(shown(url) + " is a private host; allow_private_ips is not set.");
        });
  }

  static RuleResult headers(Facts facts) {
    var headers = facts.context().object("headers").filter(given -> !given.isEmpty());
    if (headers.isEmpty()) {
      return RuleResult.pass();
    }
    Optional<HeaderRules> rules = facts.limits().compiled("url.headers", HeaderRules::of);
    Optional<Url> url = read(facts);
    if (rules.isEmpty() || url.isEmpty()) {
      return RuleResult.fail("The passport's allowed_headers or blocked_headers is not a list.");
    }
    for (String name : headers.get().names()) {
      Optional<String> objection = rules.get().objection(name, headers.get().text(name), url.get());
      if (objection.isPresent()) {
        return RuleResult.fail("The header " + Excerpt.of(name) + " " + objection.get() + ".");
      }
    }
    return RuleResult.pass();
  }

  private static boolean opensPrivate(Limits limits) {
    return limits.grants("allow_private_ips")
        || limits.get("block_private_ips") == JsonBoolean.FALSE;
  }

  private static RuleResult onUrl(Facts facts, UrlCheck check) {
    if (facts.context().present("url") == null) {
      return RuleResult.pass();
    }
    return read(facts).map(url -> check.check(url, facts.limits())).orElse(NO_URL);
  }

  private static Optional<Url> read(Facts facts) {
    return facts.once(
        "url", () -> facts.context().string("url").flatMap(text -> Url.parse(text, Url.WEB)));
  }

  /** Returns the host only, because user info and query may contain secrets. */
  private static String shown(Url url) {
    return Excerpt.of(url.host().text());
  }
}

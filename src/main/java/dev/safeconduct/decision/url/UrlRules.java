package dev.safeconduct.decision.url;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Optional;

/**
 * The rules about the URL of web.fetch.v1 and web.browser.v1. Without a URL there is nothing to
 * judge: the former's context check demands one.
 */
final class UrlRules {
  private static final Verdict NO_URL = Verdict.fail("The URL cannot be read.");

  private UrlRules() {}

  /** A check of the URL in the context's {@code url}. */
  private interface UrlCheck {
    Verdict check(Url url, Limits limits);
  }

  static Verdict allowlist(Facts facts) {
    return onUrl(
        facts,
        (url, limits) ->
            switch (limits.list("allowed_domains")) {
              case Reading.Absent<List<String>> _ ->
                  Verdict.fail("The passport names no allowed domains.");
              case Reading.Malformed<List<String>> _ ->
                  Verdict.fail("The passport's allowed_domains is not a list.");
              case Reading.Present<List<String>>(List<String> entries) ->
                  DomainLists.allow(entries, url)
                      ? Verdict.pass()
                      : Verdict.fail(shown(url) + " is not among the allowed domains.");
            });
  }

  static Verdict blocklist(Facts facts) {
    return onUrl(
        facts,
        (url, limits) -> {
          Reading<List<String>> blocked = limits.list("blocked_domains");
          if (blocked instanceof Reading.Malformed) {
            return Verdict.fail("The passport's blocked_domains is not a list.");
          }
          if (blocked instanceof Reading.Present<List<String>>(List<String> entries)
              && DomainLists.block(entries, url)) {
            return Verdict.fail(shown(url) + " is among the blocked domains.");
          }
          return DropPoints.include(url.host()) && !limits.grants("disable_default_blocks")
              ? Verdict.fail(shown(url) + " is a paste, upload or tunnel service.")
              : Verdict.pass();
        });
  }

  static Verdict privateHost(Facts facts) {
    return onUrl(
        facts,
        (url, limits) -> {
          if (NonPublicHosts.isMetadata(url.host())) {
            return Verdict.fail(shown(url) + " is a metadata service; no setting opens it.");
          }
          return !NonPublicHosts.isPrivate(url.host()) || opensPrivate(limits)
              ? Verdict.pass()
              : Verdict.fail(
                  shown(url) + " is a private or reserved host; allow_private_ips is not set.");
        });
  }

  static Verdict headers(Facts facts) {
    var headers = facts.context().object("headers").filter(given -> !given.isEmpty());
    if (headers.isEmpty()) {
      return Verdict.pass();
    }
    Optional<HeaderRules> rules = HeaderRules.of(facts.limits());
    Optional<Url> url = read(facts);
    if (rules.isEmpty() || url.isEmpty()) {
      return Verdict.fail("The passport's allowed_headers or blocked_headers is not a list.");
    }
    for (String name : headers.get().names()) {
      Optional<String> objection =
          rules.get().objection(name, headers.get().string(name).orElse(""), url.get().host());
      if (objection.isPresent()) {
        return Verdict.fail("The header " + Excerpt.of(name) + " " + objection.get() + ".");
      }
    }
    return Verdict.pass();
  }

  private static boolean opensPrivate(Limits limits) {
    return limits.grants("allow_private_ips")
        || limits.get("block_private_ips") == JsonBoolean.FALSE;
  }

  private static Verdict onUrl(Facts facts, UrlCheck check) {
    if (facts.context().present("url") == null) {
      return Verdict.pass();
    }
    return read(facts).map(url -> check.check(url, facts.limits())).orElse(NO_URL);
  }

  private static Optional<Url> read(Facts facts) {
    return facts.once(
        "url", () -> facts.context().string("url").flatMap(text -> Url.parse(text, Url.WEB)));
  }

  /** The host only: user info and query may hold secrets. */
  private static String shown(Url url) {
    return Excerpt.of(url.host().text());
  }
}

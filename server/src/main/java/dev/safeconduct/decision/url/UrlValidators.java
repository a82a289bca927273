package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.net.NonPublicHosts.Kind;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The named validators of web.fetch.v1, web.browser.v1, web.search.v1 and mcp.tool.execute.v1. */
public final class UrlValidators {
  private static final RuleResult NO_URL = RuleResult.fail("The URL cannot be read.");

  private static final Map<String, Validator> ALL =
      Map.ofEntries(
          Map.entry("validateDomainAllowlist", UrlValidators::allowlist),
          Map.entry("validateWebFetchBlockedDomains", UrlValidators::blocklist),
          Map.entry("validateBrowserBlockedDomains", UrlValidators::blocklist),
          Map.entry("validateWebFetchPrivateIP", UrlValidators::privateHost),
          Map.entry("validateBrowserPrivateIP", UrlValidators::privateHost),
          Map.entry("validateWebFetchMethod", UrlValidators::method),
          Map.entry("validateWebFetchHeaders", UrlValidators::headers),
          Map.entry("validateBrowserFormSubmission", UrlValidators::forms),
          Map.entry("validateSearchDomains", SearchRules::allowlist),
          Map.entry("validateSearchBlockedDomains", SearchRules::blocklist),
          Map.entry("validateSearchQuery", SearchRules::query),
          Map.entry("validateMCPServerAllowlist", McpRules::serverAllowlist),
          Map.entry("validateMCPServer", McpRules::serverForm),
          Map.entry("validateMCPTool", McpRules::tool),
          Map.entry("validateParameterSize", McpRules::parameterSize));

  private UrlValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }

  /** A check of the URL in the context's {@code url}. */
  private interface UrlCheck {
    RuleResult check(Url url, Limits limits);
  }

  private static RuleResult allowlist(Facts facts) {
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

  private static RuleResult blocklist(Facts facts) {
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
          return DomainLists.isDropPoint(url.host()) && !limits.grants("disable_default_blocks")
              ? RuleResult.fail(shown(url) + " is a paste, upload or tunnel service.")
              : RuleResult.pass();
        });
  }

  private static RuleResult privateHost(Facts facts) {
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

  private static RuleResult headers(Facts facts) {
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

  /** Pack catalogue 4, rule 4: the limit's entries count in upper case. */
  static RuleResult method(Facts facts) {
    String method = facts.context().string("method").orElse("GET");
    return admitsMethod(facts.limits(), method)
        ? RuleResult.pass()
        : RuleResult.fail("The method " + Excerpt.of(method) + " is not in allowed_methods.");
  }

  /** Whether a list, which may be absent, admits the method, which is in upper case. */
  static boolean admitsMethod(Limits limits, String method) {
    return switch (limits.list("allowed_methods", "url.methods", UrlValidators::upperCase)) {
      case Reading.Absent<Set<String>> _ -> true;
      case Reading.Malformed<Set<String>> _ -> false;
      case Reading.Present<Set<String>>(Set<String> entries) ->
          entries.contains("*") || entries.contains(method);
    };
  }

  private static Set<String> upperCase(List<String> entries) {
    return entries.stream()
        .map(entry -> entry.toUpperCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Pack catalogue 5, rule 5. */
  static RuleResult forms(Facts facts) {
    JsonValue allowed = facts.limits().get("allow_form_submission");
    if (allowed == null || allowed == JsonBoolean.TRUE) {
      return RuleResult.pass();
    }
    boolean submits =
        switch (facts.context().text("action")) {
          case "type" -> true;
          case "click" -> maySubmit(facts.context().text("selector"));
          default -> false;
        };
    return submits
        ? RuleResult.fail("Typing and clicks that may submit a form are not allowed.")
        : RuleResult.pass();
  }

  /** Whether a click may submit a form. A click without a specific selector may hit any element. */
  private static boolean maySubmit(String selector) {
    return selector.isBlank() || selector.toLowerCase(Locale.ROOT).contains("submit");
  }
}

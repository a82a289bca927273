package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Validator;
import java.util.Map;

/** The named validators of web.fetch.v1, web.browser.v1, web.search.v1 and mcp.tool.execute.v1. */
public final class UrlValidators {
  private static final Map<String, Validator> ALL =
      Map.ofEntries(
          Map.entry("validateDomainAllowlist", UrlRules::allowlist),
          Map.entry("validateWebFetchBlockedDomains", UrlRules::blocklist),
          Map.entry("validateBrowserBlockedDomains", UrlRules::blocklist),
          Map.entry("validateWebFetchPrivateIP", UrlRules::privateHost),
          Map.entry("validateBrowserPrivateIP", UrlRules::privateHost),
          Map.entry("validateWebFetchMethod", RequestRules::method),
          Map.entry("validateWebFetchHeaders", UrlRules::headers),
          Map.entry("validateBrowserFormSubmission", RequestRules::forms),
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
}

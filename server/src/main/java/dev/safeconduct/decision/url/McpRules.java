package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.Optional;

/** The rules of mcp.tool.execute.v1 (pack catalogue 6). */
final class McpRules {
  private static final double DEFAULT_PARAMETER_BYTES = 102400;

  private McpRules() {}

  static RuleResult serverAllowlist(Facts facts) {
    return switch (facts.limits().list("allowed_servers")) {
      case Reading.Absent<List<String>> _ -> RuleResult.fail("The passport names no MCP servers.");
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The passport's allowed_servers is not a list.");
      case Reading.Present<List<String>>(List<String> entries) ->
          entries.contains("*") || isNamed(facts)
              ? RuleResult.pass()
              : RuleResult.fail(shown(facts) + " is not among the allowed servers.");
    };
  }

  static RuleResult serverUrl(Facts facts) {
    Optional<Url> parsed = McpServers.parse(server(facts));
    if (parsed.isEmpty()) {
      return RuleResult.fail("The MCP server must be a URL with scheme https or wss.");
    }
    Url url = parsed.get();
    if (url.userInfo().isPresent() || url.fragment().isPresent()) {
      return RuleResult.fail("The URL of an MCP server may hold neither user info nor a fragment.");
    }
    boolean secure = url.scheme().equals("https") || url.scheme().equals("wss");
    if (!secure && !(NonPublicHosts.isLoopback(url.host()) && isNamed(facts))) {
      return RuleResult.fail(
          shown(facts) + " must use https or wss; only a named loopback server may do without.");
    }
    if (NonPublicHosts.isMetadata(url.host())) {
      return RuleResult.fail(shown(facts) + " is a metadata service; no setting opens it.");
    }
    if (NonPublicHosts.isPrivate(url.host()) && !isNamed(facts)) {
      return RuleResult.fail(shown(facts) + " is on a private host and not named by the passport.");
    }
    return RuleResult.pass();
  }

  static RuleResult tool(Facts facts) {
    String tool = facts.context().string("tool").orElse("");
    Limits limits = facts.limits();
    Optional<List<String>> tools = entries(limits.list("allowed_tools"));
    Optional<List<String>> prefixes = entries(limits.list("allowed_tool_prefixes"));
    Optional<List<String>> blocked = entries(limits.list("blocked_tools"));
    if (tools.isEmpty() || prefixes.isEmpty() || blocked.isEmpty()) {
      return RuleResult.fail(
          "The passport's allowed_tools, allowed_tool_prefixes or blocked_tools is not a list.");
    }
    if (!Folding.admits(tools.get(), tool) && !hasPrefix(tool, prefixes.get())) {
      return RuleResult.fail("The tool " + Excerpt.of(tool) + " is not among the allowed tools.");
    }
    return new NamePatterns(blocked.get().stream().map(Folding::blockKey))
            .match(Folding.blockKey(tool))
        ? RuleResult.fail("The tool " + Excerpt.of(tool) + " is blocked by the passport.")
        : RuleResult.pass();
  }

  /** Measured as received: the context check leaves null members inside parameters alone. */
  static RuleResult parameterSize(Facts facts) {
    double cap =
        switch (facts.limits().number("max_parameter_size")) {
          case Reading.Absent<Double> _ -> DEFAULT_PARAMETER_BYTES;
          case Reading.Malformed<Double> _ -> -1;
          case Reading.Present<Double>(Double bytes) -> bytes;
        };
    if (cap < 0) {
      return RuleResult.fail("The passport's max_parameter_size is not a number of bytes.");
    }
    JsonValue parameters = facts.context().present("parameters");
    int size = parameters == null ? 0 : Json.bytes(parameters).length;
    return size > cap
        ? RuleResult.fail(
            "The parameters take " + size + " bytes; at most " + (long) cap + " are allowed.")
        : RuleResult.pass();
  }

  private static boolean isNamed(Facts facts) {
    return facts.once(
        "mcp.named",
        () ->
            facts.limits().list("allowed_servers")
                    instanceof Reading.Present<List<String>>(List<String> entries)
                && McpServers.names(entries, server(facts)));
  }

  private static boolean hasPrefix(String tool, List<String> entries) {
    for (String entry : entries) {
      String prefix = NamePatterns.withoutStars(entry);
      if (!prefix.isEmpty() && tool.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the entries. An absent list is an empty list; a malformed list returns empty. */
  private static Optional<List<String>> entries(Reading<List<String>> reading) {
    return switch (reading) {
      case Reading.Absent<List<String>> _ -> Optional.of(List.of());
      case Reading.Malformed<List<String>> _ -> Optional.empty();
      case Reading.Present<List<String>>(List<String> entries) -> Optional.of(entries);
    };
  }

  private static String server(Facts facts) {
    return facts.context().string("server").orElse("");
  }

  /** Returns the server's text without user info and query, which may contain secrets. */
  private static String shown(Facts facts) {
    return McpServers.parse(server(facts))
        .map(url -> "The server " + Excerpt.of(url.scheme() + "://" + url.host().text()))
        .orElse("The server");
  }
}

package dev.safeconduct.decision.url;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
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

  static Verdict serverAllowlist(Facts facts) {
    return switch (facts.limits().list("allowed_servers")) {
      case Reading.Absent<List<String>> _ -> Verdict.fail("The passport names no MCP servers.");
      case Reading.Malformed<List<String>> _ ->
          Verdict.fail("The passport's allowed_servers is not a list.");
      case Reading.Present<List<String>>(List<String> entries) ->
          entries.contains("*") || isNamed(facts)
              ? Verdict.pass()
              : Verdict.fail(shown(facts) + " is not among the allowed servers.");
    };
  }

  static Verdict serverUrl(Facts facts) {
    Optional<Url> parsed = McpServers.parse(server(facts));
    if (parsed.isEmpty()) {
      return Verdict.fail("The MCP server must be a URL with scheme https or wss.");
    }
    Url url = parsed.get();
    if (url.userInfo().isPresent() || url.fragment().isPresent()) {
      return Verdict.fail("The URL of an MCP server may hold neither user info nor a fragment.");
    }
    boolean secure = url.scheme().equals("https") || url.scheme().equals("wss");
    if (!secure && !(NonPublicHosts.isLoopback(url.host()) && isNamed(facts))) {
      return Verdict.fail(
          shown(facts) + " must use https or wss; only a named loopback server may do without.");
    }
    if (NonPublicHosts.isMetadata(url.host())) {
      return Verdict.fail(shown(facts) + " is a metadata service; no setting opens it.");
    }
    if (NonPublicHosts.isPrivate(url.host()) && !isNamed(facts)) {
      return Verdict.fail(shown(facts) + " is on a private host and not named by the passport.");
    }
    return Verdict.pass();
  }

  static Verdict tool(Facts facts) {
    String tool = facts.context().string("tool").orElse("");
    Limits limits = facts.limits();
    Optional<List<String>> tools = entries(limits.list("allowed_tools"));
    Optional<List<String>> prefixes = entries(limits.list("allowed_tool_prefixes"));
    Optional<List<String>> blocked = entries(limits.list("blocked_tools"));
    if (tools.isEmpty() || prefixes.isEmpty() || blocked.isEmpty()) {
      return Verdict.fail(
          "The passport's allowed_tools, allowed_tool_prefixes or blocked_tools is not a list.");
    }
    if (!Folding.admits(tools.get(), tool) && !hasPrefix(tool, prefixes.get())) {
      return Verdict.fail("The tool " + Excerpt.of(tool) + " is not among the allowed tools.");
    }
    return new NamePatterns(blocked.get().stream().map(Folding::blockKey))
            .match(Folding.blockKey(tool))
        ? Verdict.fail("The tool " + Excerpt.of(tool) + " is blocked by the passport.")
        : Verdict.pass();
  }

  /** Measured as received: the context check leaves null members inside parameters alone. */
  static Verdict parameterSize(Facts facts) {
    double cap =
        switch (facts.limits().number("max_parameter_size")) {
          case Reading.Absent<Double> _ -> DEFAULT_PARAMETER_BYTES;
          case Reading.Malformed<Double> _ -> -1;
          case Reading.Present<Double>(Double bytes) -> bytes;
        };
    if (cap < 0) {
      return Verdict.fail("The passport's max_parameter_size is not a number of bytes.");
    }
    JsonValue parameters = facts.context().present("parameters");
    int size = parameters == null ? 0 : Json.bytes(parameters).length;
    return size > cap
        ? Verdict.fail(
            "The parameters take " + size + " bytes; at most " + (long) cap + " are allowed.")
        : Verdict.pass();
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

  /** An absent list admits and blocks nothing; one of the wrong form gives no answer. */
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

  /** Without user info and query, which may hold secrets. */
  private static String shown(Facts facts) {
    return McpServers.parse(server(facts))
        .map(url -> "The server " + Excerpt.of(url.scheme() + "://" + url.host().text()))
        .orElse("The server");
  }
}

package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.net.NonPublicHosts.Kind;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rules of mcp.tool.execute.v1 (pack catalogue 6). */
final class McpRules {
  private static final double DEFAULT_PARAMETER_BYTES = 102400;

  private McpRules() {}

  static RuleResult serverAllowlist(Facts facts) {
    return switch (facts.limits().list("allowed_servers")) {
      case Reading.Absent<List<String>> _ ->
          RuleResult.fail("The passport sets no list of allowed_servers.");
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The passport's allowed_servers is not a list.");
      case Reading.Present<List<String>>(List<String> entries) ->
          entries.contains("*") || isListed(facts) || isAdmittedByName(facts)
              ? RuleResult.pass()
              : RuleResult.fail(shown(server(facts)) + " is not in allowed_servers.");
    };
  }

  static RuleResult serverForm(Facts facts) {
    McpServer server = server(facts);
    return switch (server) {
      case McpServer.ByName _ ->
          isListed(facts) || isAdmittedByName(facts)
              ? RuleResult.pass()
              : RuleResult.fail(
                  shown(server)
                      + " is not in allowed_servers; * admits URLs, list the name or mcp:*.");
      case McpServer.ByUrl(Url url) -> checkUrl(url, facts);
      case McpServer.Unreadable _ ->
          RuleResult.fail(
              "The MCP server must be a URL with scheme https or wss, or a name of letters, digits"
                  + " and . _ - (with or without mcp: before it).");
    };
  }

  private static RuleResult checkUrl(Url url, Facts facts) {
    String shown = shown(server(facts));
    if (url.userInfo().isPresent() || url.fragment().isPresent()) {
      return RuleResult.fail("The URL of an MCP server may hold neither user info nor a fragment.");
    }
    if (!url.isSecure() && !(url.host().isLoopback() && isListed(facts))) {
      return RuleResult.fail(
          shown + " must use https or wss; only a listed loopback server may do without.");
    }
    Optional<Kind> kind = url.host().kind();
    if (kind.filter(Kind::isNever).isPresent()) {
      return RuleResult.fail(shown + " is " + kind.get().wording() + "; no setting opens it.");
    }
    return kind.isEmpty() || isListed(facts)
        ? RuleResult.pass()
        : RuleResult.fail(shown + " is on a private host and not listed in allowed_servers.");
  }

  static RuleResult tool(Facts facts) {
    String tool = facts.context().text("tool");
    Limits limits = facts.limits();
    Optional<List<String>> tools = entries(limits.list("allowed_tools"));
    Optional<List<String>> prefixes = entries(limits.list("allowed_tool_prefixes"));
    Reading<NamePatterns> blocked =
        limits.list(
            "blocked_tools",
            "mcp.blocked",
            entries -> new NamePatterns(entries.stream().map(Folding::blockKey)));
    if (tools.isEmpty() || prefixes.isEmpty() || blocked instanceof Reading.Malformed) {
      return RuleResult.never(
          "The passport's allowed_tools, allowed_tool_prefixes or blocked_tools is not a list.");
    }
    if (blocked instanceof Reading.Present<NamePatterns>(NamePatterns patterns)
        && patterns.match(Folding.blockKey(tool))) {
      return RuleResult.never("The tool " + Excerpt.of(tool) + " is blocked by the passport.");
    }
    return Folding.admits(tools.get(), tool) || hasPrefix(tool, prefixes.get())
        ? RuleResult.pass()
        : RuleResult.fail("The tool " + Excerpt.of(tool) + " is not among the allowed tools.");
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

  /** Whether an entry other than {@code *} and {@code mcp:*} lists the server. */
  private static boolean isListed(Facts facts) {
    return facts.limits().list("allowed_servers", "mcp.servers", McpServer::listed)
            instanceof Reading.Present<Set<McpServer>>(Set<McpServer> listed)
        && listed.contains(server(facts));
  }

  private static boolean isAdmittedByName(Facts facts) {
    return server(facts) instanceof McpServer.ByName
        && entries(facts).contains(McpServer.EVERY_NAME);
  }

  private static List<String> entries(Facts facts) {
    return entries(facts.limits().list("allowed_servers")).orElse(List.of());
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

  private static McpServer server(Facts facts) {
    return facts.once("mcp.server", () -> McpServer.parse(facts.context().text("server")));
  }

  /** Returns the server's text without user info and query, which may contain secrets. */
  private static String shown(McpServer server) {
    return switch (server) {
      case McpServer.ByUrl(Url url) ->
          "The server " + Excerpt.of(url.scheme() + "://" + url.host().text());
      case McpServer.ByName(String name) -> "The server " + Excerpt.of(name);
      case McpServer.Unreadable _ -> "The server";
    };
  }
}

package dev.safeconduct.decision.url;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An MCP server, compared whole: by its URL, or by its name when it has no address or its address
 * is not known (validator catalogue 3.5).
 */
public sealed interface McpServer {
  /** With the path in canonical form. */
  record ByUrl(Url url) implements McpServer {}

  /** Without the prefix {@code mcp:}. */
  record ByName(String name) implements McpServer {}

  /** A text that is neither a URL nor a name. */
  record Unreadable(String text) implements McpServer {}

  /** Admits every server by name. */
  String EVERY_NAME = "mcp:*";

  Pattern NAME = Pattern.compile("(?:mcp:)?([A-Za-z0-9][A-Za-z0-9._-]{0,127})");

  static McpServer parse(String text) {
    if (text.contains("://")) {
      Optional<Url> url = Url.parse(text, Url.MCP);
      return url.isPresent() ? new ByUrl(canonical(url.get())) : new Unreadable(text);
    }
    var name = NAME.matcher(text);
    return name.matches() ? new ByName(name.group(1)) : new Unreadable(text);
  }

  /** Returns the servers that the entries other than {@code *} list. */
  static Set<McpServer> listed(List<String> entries) {
    return entries.stream()
        .filter(entry -> !entry.isEmpty() && !entry.equals("*"))
        .map(McpServer::parse)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether an entry of a list admits every server that another one would admit in its place. */
  static boolean covers(String above, String entry) {
    McpServer server = parse(entry);
    if (entry.isEmpty() || parse(above).equals(server)) {
      return true;
    }
    return switch (server) {
      case ByName _ -> above.equals(EVERY_NAME);
      case ByUrl(Url url) -> above.equals("*") && url.isSecure() && url.host().kind().isEmpty();
      case Unreadable _ -> false;
    };
  }

  private static Url canonical(Url url) {
    return new Url(
        url.scheme(),
        url.userInfo(),
        url.host(),
        url.port(),
        UrlPath.normal(url.path()),
        url.query(),
        url.fragment());
  }
}

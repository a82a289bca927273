package dev.safeconduct.decision.url;

import java.util.List;
import java.util.Optional;

/** MCP servers named by URL, compared whole (validator catalogue 3.5). */
final class McpServers {
  private McpServers() {}

  static Optional<Url> parse(String server) {
    return Url.parse(server, Url.MCP);
  }

  /** Whether an entry other than {@code *} names this server, by text or in canonical form. */
  static boolean names(List<String> entries, String server) {
    Optional<Url> asked = parse(server).map(McpServers::canonical);
    for (String entry : entries) {
      if (entry.isEmpty() || entry.equals("*")) {
        continue;
      }
      if (entry.equals(server)
          || (asked.isPresent() && parse(entry).map(McpServers::canonical).equals(asked))) {
        return true;
      }
    }
    return false;
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
